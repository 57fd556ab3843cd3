package job

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// More is what to ask Flink once its jobs are known.
type More struct {
	// Facts asks for the cluster's figures.
	Facts bool
	// Failure asks for the cause of a failure.
	Failure bool
	// Checkpoints asks for the job's checkpoint statistics.
	Checkpoints bool
	// Retention asks which of its checkpoints outlive it.
	Retention bool
	// Graph asks whether Flink has an execution graph of the job, and what its clock is.
	Graph bool
	// Health asks for what the job's health is judged by, Progress for its checkpoints, too.
	Health, Progress bool
	// LateStops asks what became of stops that were given up.
	LateStops bool
	// Requests asks for the snapshots in flight that the job's status records.
	Requests bool
	// Requirements asks for the ranges of parallelism that the job asks for.
	Requirements bool
	// Exceptions is how many entries of the job's exception history to ask for, the newest; 0 asks for none.
	Exceptions int
}

// recentEnd is how long after its end was recorded a job's statistics are still read: the first answers may be old
// ones.
const recentEnd = time.Minute

// AskMore says what else to ask Flink, given the jobs. Of another run of a job that had ended, or was being stopped,
// nothing is asked.
//
//	what          when
//	Facts         until the spec is stable or the job has ended, when the JobManager became ready, when the job's state
//	              moved; not of a job that is being stopped, nor of a session job
//	Failure       the job FAILED and status.error does not tell its cause, or may tell that of a failure before: for as
//	              long as its history may tell of another one
//	Checkpoints   the job has ended and that, or its last state, is not recorded, or a change or rollback starts from it,
//	              or its end is being waited for and, with a savepoint, overdue; or the age of its checkpoints counts; or
//	              the job has not ended and is not known to have completed one, or is to be changed; or it began again
//	Retention     a change, or the rollback of a session job, may cancel the job, or a change chooses a state that may go
//	              with it, or its last state is read
//	Graph         the job has ended and Checkpoints are asked for, or they are while its tasks do not run, or such a
//	              change may cancel it then
//	Health        the option is on, the job has not ended, and nothing is under way
//	Progress      the same, and so is the option for its checkpoints
//	LateStops     the job has FINISHED, maybe by a stop that was given up
//	Requests      the status records a snapshot in flight
//	Requirements  the spec asks for another parallelism of vertices, which the job may take in place
//	Exceptions    the job or a task of it changed since they were asked for, or a moment ago, or it has just ended
func AskMore(v Life) More {
	status := v.Seen.Resource.Status
	jobs, ok := v.Seen.Flink.Jobs.Get()
	if !ok {
		return More{}
	}
	j, found := FindJob(jobs, status.JobStatus.JobID)
	awaited := v.Intent() != nil && v.Intent().Step == v1beta1.StepStopping && !v.Intent().Ended
	if found && (AnotherRun(status.JobStatus, j) || (awaited && BeganAnew(v.Intent().Stops, j))) {
		return More{}
	}
	changing := AsksToStop(v)
	moved := found && j.State != status.JobStatus.State
	recorded := status.ReconciliationStatus
	over := j.State.IsTerminal() || (!found && status.JobStatus.State.IsTerminal())
	settling := !over && recorded.LastStableSpec != recorded.LastReconciledSpec
	becameReady := status.JobManagerDeploymentStatus != v1beta1.JobManagerReady
	judged := found && !j.State.IsTerminal() && v.AtRest() && Health(v).Checked()
	needed := !v.MayStartEmpty() || v.Last != nil && !Stateless(&v.Last.Spec)
	worth := needed && (looksForCheckpoint(v) || changing)
	looks := found && !j.State.IsTerminal() && v.AtRest() && worth
	began := found && (suspected(v.Want.LostProgress) || (needed && beganAgain(j.StartTime, status.JobStatus)))
	wanted := moved || awaited || (status.JobStatus.LastStateUnread && needed) || changing || RollsBack(v) ||
		givenUpStop(v).mayHaveEnded(j.State)
	justEnded := v.Since(v.EndedAt()) < recentEnd
	ended := found && j.State.IsTerminal() && (wanted || justEnded)
	backByCancel := RollsBack(v) && !v.IsApplication()
	changes := found && !j.State.IsTerminal() && (changing || backByCancel)
	keeps := Goal(v).choosesState() || needed
	history, cause := 0, moved || !tellsJobFailed(status.Error) || justEnded
	if found {
		history, cause = exceptionHistory(v).due(j), cause || exceptionHistory(v).mayTellMore(j)
	}
	return More{
		Exceptions: history,
		Health:     judged, Progress: judged && Health(v).ChecksProgress(),
		Facts:   v.IsApplication() && !awaited && (settling || becameReady || moved),
		Failure: found && j.State == v1beta1.FlinkJobFailed && cause,
		Checkpoints: ended || looks || began || (found && Ending(v).overdue()) ||
			(found && changing && v.MaxCheckpointAge() > 0),
		Retention:    (ended && j.State != v1beta1.FlinkJobFinished) || (changes && keeps),
		Graph:        ended || ((changes || looks) && j.State == v1beta1.FlinkJobCreated && needed),
		Requirements: found && !j.State.IsTerminal() && AsksRequirements(v),
		LateStops:    found && givenUpStop(v).mayHaveEnded(j.State),
		Requests:     len(snapshots.Pending(status.JobStatus)) > 0,
	}
}

// RollsBack reports whether a rollback is due.
func RollsBack(v Life) bool { return v.AtRest() && rollback(v).due() }

// AsksToStop reports whether the spec differs from what was acted on, so that the job may be stopped in this round.
func AsksToStop(v Life) bool {
	return v.Last != nil && v.Seen.SpecProblem == "" && v.Changed().Kind.Effective()
}
