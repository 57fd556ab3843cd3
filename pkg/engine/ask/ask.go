package ask

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
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
	// Retention asks which of its checkpoints outlive it, and how long one may take.
	Retention bool
	// Graph asks whether Flink has an execution graph of the job, and what its clock is.
	Graph bool
	// Health asks for what the job's health is judged by.
	Health bool
	// Progress asks for its checkpoints, too, and how often it makes them where the newest is older than this; zero does
	// not.
	Progress time.Duration
	// LateStops asks what became of stops that were given up.
	LateStops bool
	// Requests asks for the snapshots in flight that the job's status records.
	Requests bool
	// Requirements asks for the ranges of parallelism that the job asks for.
	Requirements bool
	// Exceptions is how many entries of the job's exception history to ask for, the newest; 0 asks for none.
	Exceptions int
}

// Flink says what else to ask Flink, given the jobs. Of another run of a job that had ended, or was being stopped,
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
//	              with it, or its last state is read; or it counts how long a checkpoint may take, see takesLong
//	Graph         the job has ended and Checkpoints are asked for, or they are while its tasks do not run, or such a
//	              change may cancel it then
//	Health        the option is on, the job has not ended, and nothing is under way
//	Progress      the same, and so is the option for its checkpoints
//	LateStops     the job has FINISHED, maybe by a stop that was given up
//	Requests      the status records a snapshot in flight
//	Requirements  the spec asks for another parallelism of vertices, which the job may take in place
//	Exceptions    the job or a task of it changed since they were asked for, or a moment ago, or it has just ended
func Flink(v *world.Look) More {
	status := v.Seen.Resource.Status
	jobs, ok := v.Seen.Flink.Jobs.Get()
	if !ok {
		return More{}
	}
	j, found := world.FindJob(jobs, status.JobStatus.JobID)
	awaited := v.Intent() != nil && v.Intent().Step == v1beta1.StepStopping && !v.Intent().Ended
	if found && (world.AnotherRun(status.JobStatus, j) || (awaited && world.BeganAnew(v.Intent().Stops, j))) {
		return More{}
	}
	changing := AsksToStop(v)
	moved := found && j.State != status.JobStatus.State
	recorded := status.ReconciliationStatus
	over := j.State.IsTerminal() || (!found && status.JobStatus.State.IsTerminal())
	settling := !over && recorded.LastStableSpec != recorded.LastReconciledSpec
	becameReady := status.JobManagerDeploymentStatus != v1beta1.JobManagerReady
	judged := found && !j.State.IsTerminal() && v.AtRest() && facts.HealthChecked(v)
	needed := !v.MayStartEmpty() || v.Last != nil && !world.Stateless(&v.Last.Spec)
	worth := needed && (facts.LooksForCheckpoint(v) || changing)
	looks := found && !j.State.IsTerminal() && v.AtRest() && worth
	began := found && (facts.Suspected(v.Want.LostProgress) || (needed && loss.BeganAgain(j.StartTime, status.JobStatus)))
	wanted := moved || awaited || (status.JobStatus.LastStateUnread && needed) || changing || RollsBack(v) ||
		facts.LateStopMayHaveEnded(v, j.State)
	justEnded := v.Since(v.EndedAt()) < facts.RecentEnd
	ended := found && j.State.IsTerminal() && (wanted || justEnded)
	backByCancel := RollsBack(v) && !v.IsApplication()
	changes := found && !j.State.IsTerminal() && (changing || backByCancel)
	keeps := facts.ChoosesState(v) || needed
	history, cause := 0, moved || !report.TellsJobFailed(status.Error) || justEnded
	if found {
		history, cause = facts.ExceptionsDue(v, j), cause || facts.MayTellMoreExceptions(v, j)
	}
	progress := time.Duration(0)
	if judged {
		progress = facts.ProgressWindow(v)
	}
	return More{
		Exceptions: history,
		Health:     judged, Progress: progress,
		Facts:   v.IsApplication() && !awaited && (settling || becameReady || moved),
		Failure: found && j.State == v1beta1.FlinkJobFailed && cause,
		Checkpoints: ended || looks || began || (found && facts.StopOverdue(v)) ||
			(found && changing && v.Options.MaxCheckpointAge() > 0),
		Retention: (ended && j.State != v1beta1.FlinkJobFinished) || (changes && keeps) ||
			(found && takesLong(v, j, moved)),
		Graph:        ended || ((changes || looks) && j.State == v1beta1.FlinkJobCreated && needed),
		Requirements: found && !j.State.IsTerminal() && decide.AsksRequirements(v),
		LateStops:    found && facts.LateStopMayHaveEnded(v, j.State),
		Requests:     len(snapshots.Pending(status.JobStatus)) > 0,
	}
}

// takesLong reports whether it counts how long a checkpoint of a job may take: it has just begun to run, so that a
// savepoint of it may be taken, or one is being taken before a deletion, or by a stop that may be overdue.
func takesLong(v *world.Look, j world.Job, moved bool) bool {
	begins := moved && j.State == v1beta1.FlinkJobRunning
	saves := v.Resource().DeletionTimestamp != nil && !j.State.IsTerminal() && facts.SavesFirst(v)
	return begins || saves || facts.StopOverdue(v)
}

// RollsBack reports whether a rollback is due.
func RollsBack(v *world.Look) bool { return v.AtRest() && decide.RollbackDue(v) }

// AsksToStop reports whether the spec differs from what was acted on, so that the job may be stopped in this round.
func AsksToStop(v *world.Look) bool {
	return v.Last != nil && v.Seen.SpecProblem == "" && v.Changed().Kind.Effective()
}
