package world

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/clusterinfo"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// Flink is what the JobManager answered over REST.
type Flink struct {
	// Jobs are all jobs it knows (GET /jobs/overview).
	Jobs plan.Observed[[]Job]
	// Distrusted: Jobs is Unknown because no TLS connection comes about, which lasts until a person fixes a certificate
	// or the configuration.
	Distrusted bool
	// Facts are version, TaskManagers and state size.
	Facts plan.Observed[ClusterFacts]
	// Stop is how far the stop-with-savepoint of the open intent is (GET /jobs/:jobid/savepoints/:triggerid).
	Stop plan.Observed[StopProgress]
	// LateStops is how far the stops with savepoint are that were given up, of a job that one of them may have finished.
	LateStops plan.Observed[[]StopProgress]
	// Checkpoints are the job's own (GET /jobs/:jobid/checkpoints). Absent means that it never made nor restored one.
	Checkpoints plan.Observed[Checkpoints]
	// Clock is the JobManager's clock just before it was asked for them (GET /jobs/:jobid, now). The zero time: the same
	// as Now.
	Clock time.Time
	// NoGraph: Flink tells of the job without an execution graph (GET /jobs/:jobid, timestamps and vertices). With the
	// adaptive scheduler it waits for resources, or ended while it did. Its statistics are empty then, whatever it had
	// completed.
	NoGraph bool
	// GraphUnread is why that could not be read; empty when it was, or was not asked.
	GraphUnread string
	// Retention says which checkpoints outlive the job (GET /jobs/:jobid/checkpoints/config). Absent means that it makes
	// none.
	Retention plan.Observed[upgrade.Retention]
	// CheckpointTimeout is after how long Flink gives a checkpoint or savepoint of the job up, as its code or its
	// configuration has it (the same answer).
	CheckpointTimeout plan.Observed[time.Duration]
	// Requests are what it says of the snapshots in flight that the job's status records.
	Requests snapshots.Answers
	// Failure is the root cause of a failed job (GET /jobs/:jobid/exceptions).
	Failure plan.Observed[string]
	// FailureTrace is the stack trace that Failure was read from, many lines; empty when Flink gave none.
	FailureTrace string
	// Exceptions is the job's history of failures, as many as one look tells of (GET /jobs/:jobid/exceptions).
	Exceptions plan.Observed[[]exceptions.Entry]
	// Health is what the job's health is judged by (GET /jobs/:jobid/metrics and /jobs/:jobid/checkpoints).
	Health plan.Observed[health.Seen]
	// Requirements are the ranges of parallelism that the job asks for, by vertex ID (GET
	// /jobs/:jobid/resource-requirements). Absent means that Flink has none for it: its version is too old, or the
	// scheduler is not the adaptive one.
	Requirements plan.Observed[map[string]plan.Bounds]
}

// Job is one job as GET /jobs/overview lists it.
type Job struct {
	// ID is Flink's JobID, 32 hexadecimal digits.
	ID string
	// Name is the job's name.
	Name string
	// State is Flink's own word for it; see Shown.
	State v1beta1.FlinkJobState
	// StartTime is epoch milliseconds as decimal text.
	StartTime string
	// EndTime is when the job ended; zero while it has not.
	EndTime time.Time
	// Modified is when the job or a task of it changed last; the zero time when Flink does not say.
	Modified time.Time
	// Tasks are all subtasks, Running those that run, Finished those that ended well.
	Tasks, Running, Finished int
}

// Runs reports whether the job does all of its work: every subtask runs or has finished. Flink calls a job RUNNING from
// the moment on that it asks for slots.
func (j Job) Runs() bool {
	return j.State == v1beta1.FlinkJobRunning && j.Running+j.Finished == j.Tasks
}

// Shown is the job's state as status has it: Flink's own, but CREATED instead of RUNNING until the job Runs, as the
// Java operator has it since 1.9.
func (j Job) Shown() v1beta1.FlinkJobState {
	if j.State == v1beta1.FlinkJobRunning && !j.Runs() {
		return v1beta1.FlinkJobCreated
	}
	return j.State
}

// StopState is how far a stop-with-savepoint is.
type StopState string

// The states of a stop-with-savepoint.
const (
	// StopInProgress: Flink is at it.
	StopInProgress StopState = "InProgress"
	// StopCompleted: the savepoint is written and all tasks had ended; the job may be about to be FINISHED, or be
	// restarted.
	StopCompleted StopState = "Completed"
	// StopUnfinished: the savepoint is written and the tasks did not end well: Flink restarts the job, or it fails.
	StopUnfinished StopState = "Unfinished"
	// StopFailed: it failed, and the job goes on.
	StopFailed StopState = "Failed"
	// StopNotKnown: Flink does not know the request: it never came, or the JobManager that knew it is gone, or it forgot.
	StopNotKnown StopState = "NotKnown"
)

// StopProgress is how far a stop-with-savepoint is.
type StopProgress struct {
	// State is one of the above.
	State StopState
	// Path is where the savepoint lies; only when completed or unfinished.
	Path string
	// Cause is why it failed, one line.
	Cause string
}

// Checkpoints are what a job's statistics say of its state.
type Checkpoints struct {
	// Path is the newest restorable state: checkpoint, savepoint or what the job was restored from, by its number. Empty
	// when that lies where nothing can be restored from.
	Path string
	// Completed is when it was triggered or, of what was restored, restored.
	Completed time.Time
	// Pending is when the newest checkpoint was triggered, if it is in progress; zero means none is.
	Pending time.Time
	// Kind is what Path is.
	Kind StateKind
	// Discarded is true when a newer one than Path was completed, and Flink has deleted it.
	Discarded bool
	// Restored is what the job last started or restarted from; nil: it began empty.
	Restored *Restored
	// First is the number of the first checkpoint that was triggered since the JobManager's process began with the job,
	// or less: it may be any up to FirstLatest. 0: none was.
	First, FirstLatest int64
}

// Restored is the state that a job began from.
type Restored struct {
	// Number counts the checkpoints and savepoints of the job that made it.
	Number int64
	// Path is where it lies; empty when Flink cannot say.
	Path string
	// Savepoint is true for savepoints.
	Savepoint bool
	// Times is how often the JobManager's process has restored the job.
	Times int64
}

// StateKind is where a job's newest restorable state comes from.
type StateKind string

// The kinds of restorable state.
const (
	// KindCheckpoint: a checkpoint that the job made since its JobManager's process began with it. The zero value is one,
	// too.
	KindCheckpoint StateKind = "Checkpoint"
	// KindSavepoint: a savepoint that it made since.
	KindSavepoint StateKind = "Savepoint"
	// KindStop: the savepoint of a stop.
	KindStop StateKind = "Stop"
	// KindRestored: the checkpoint that it was restored from, its own or that of a job before it.
	KindRestored StateKind = "Restored"
	// KindRestoredSavepoint: the savepoint that it was restored from.
	KindRestoredSavepoint StateKind = "RestoredSavepoint"
)

// Restored reports whether it is what the job was restored from.
func (k StateKind) Restored() bool { return k == KindRestored || k == KindRestoredSavepoint }

// ClusterFacts are what Flink tells about a cluster.
type ClusterFacts = clusterinfo.Facts

// AnotherRun reports whether a job began again after its end was recorded. What is listed then tells nothing of the run
// that ended.
func AnotherRun(recorded v1beta1.JobStatus, job Job) bool {
	return recorded.State.IsTerminal() && recorded.StartTime != "" && recorded.StartTime != job.StartTime
}

// BeganAnew reports whether a job began again since the open stop of it was stored.
func BeganAnew(stops *v1beta1.Incarnation, job Job) bool {
	return stops != nil && stops.JobStartTime != "" && stops.JobStartTime != job.StartTime
}

// FindJob is the job of an ID among those that Flink lists, with its state as it is Shown.
func FindJob(jobs []Job, id string) (Job, bool) {
	for _, j := range jobs {
		if j.ID == id {
			j.State = j.Shown()
			return j, true
		}
	}
	return Job{}, false
}
