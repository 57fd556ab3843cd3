package job

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"time"
)

// State is Flink's JobStatus.
type State string

// The states.
const (
	Initializing State = "INITIALIZING"
	Created      State = "CREATED"
	Running      State = "RUNNING"
	Failing      State = "FAILING"
	Failed       State = "FAILED"
	Cancelling   State = "CANCELLING"
	Canceled     State = "CANCELED"
	Finished     State = "FINISHED"
	Restarting   State = "RESTARTING"
	Suspended    State = "SUSPENDED"
	Unknown      State = ""
)

// Ended says whether the state is globally terminal.
func (s State) Ended() bool { return s == Failed || s == Canceled || s == Finished }

// Script is what goes wrong, or slowly, with a job. The zero value is a healthy job.
type Script struct {
	// FailAtStart makes the job FAILED with this message instead of running.
	FailAtStart string
	// SnapshotSteps is how many steps more than one a savepoint or checkpoint takes.
	SnapshotSteps int
	// SnapshotFails makes each triggered snapshot fail with this message.
	SnapshotFails string
	// StopFails lets the savepoint of a stop succeed and then the stop fail, see breakStop.
	StopFails bool
	// StopRestarts lets it fail as the adaptive scheduler of Flink 1.15.0 did, see breakStop.
	StopRestarts bool
	// FinishSteps is how many steps after the savepoint of a stop the tasks take to finish. Meanwhile the job is RUNNING,
	// makes no checkpoints and no progress, and the stop is IN_PROGRESS, though its savepoint is complete.
	FinishSteps int
	// CancelSteps is how many steps more than one a cancellation takes.
	CancelSteps int
	// NoCheckpoints lets no periodic checkpoint complete.
	NoCheckpoints bool
	// Retain is the retention that the job's code sets (CheckpointConfig.setExternalizedCheckpointRetention). It wins
	// over the configuration from the next start on. Empty: the code says nothing.
	Retain string
	// Interval and Timeout are those that the job's code sets (CheckpointConfig.setCheckpointInterval and
	// setCheckpointTimeout), like Retain. Zero: the code says nothing.
	Interval, Timeout time.Duration
	// MainFails makes the main of a jar fail with this cause before it has submitted the job.
	MainFails string
	// MainSteps is how many steps the main of a jar takes to submit the job. Its run is not answered then.
	MainSteps int
	// KeepsRestarting makes the job fail over, and keeps it from running again.
	KeepsRestarting bool
	// Load is what it has to do.
	Load Load
}

// The values of execution.checkpointing.externalized-checkpoint-retention. Empty means NeverRetained.
const (
	RetainedOnCancellation = "RETAIN_ON_CANCELLATION"
	DeletedOnCancellation  = "DELETE_ON_CANCELLATION"
	NeverRetained          = "NO_EXTERNALIZED_CHECKPOINTS"
)

// The values of execution.state-recovery.claim-mode (RestoreMode). The checkpoints of a job that does not make a full
// copy first are built on the files of what it started from.
const (
	// NoClaim: the first checkpoint is a full copy.
	NoClaim = "NO_CLAIM"
	// Claimed: what the job started from is Flink's own, and goes once it is subsumed.
	Claimed = "CLAIM"
	// Legacy: it is nobody's, and checkpoints may need it for as long as the job lives.
	Legacy = "LEGACY"
)

// Endless are the attempts of a restart strategy that never gives up.
const Endless = -1

// smallSteps is how many steps a small job runs.
const smallSteps = 4

// Options are the parts of a job's configuration that the model obeys.
type Options struct {
	// ID is the job ID, 32 hexadecimal digits.
	ID string
	// Name is pipeline.name.
	Name string
	// Parallelism is that of each vertex that Overrides does not name.
	Parallelism int
	// Overrides is that of single vertices, by ID (pipeline.jobvertex-parallelism-overrides).
	Overrides map[string]int
	// Interval is execution.checkpointing.interval; zero: no periodic checkpoints.
	Interval time.Duration
	// Timeout is execution.checkpointing.timeout. The model gives no snapshot up by it.
	Timeout time.Duration
	// CheckpointDir is where checkpoints go; empty: into the JobManager's memory.
	CheckpointDir string
	// SavepointDir is the default target of savepoints; empty: none.
	SavepointDir string
	// Retain is the externalized-checkpoint-retention; empty is NeverRetained.
	Retain string
	// Attempts is how often the job restarts by itself before it is FAILED, or Endless (restart-strategy.type).
	Attempts int
	// Version is the Flink version, such as 1.20.
	Version string
	// Adaptive says that the adaptive scheduler runs the job: without slots it waits for resources, see NoGraph.
	Adaptive bool
	// Batch is execution.runtime-mode BATCH: it makes no checkpoints, and has no statistics of them.
	Batch bool
	// Small jobs end by themselves after a few steps.
	Small bool
	// Claim is execution.state-recovery.claim-mode; empty is NoClaim.
	Claim string
}

// Job is one job in one JobManager process. Not safe for concurrent use.
type Job struct {
	Options
	// Script may be changed at any time.
	Script Script
	// State is the present state; read only.
	State State
	// Start is when this process began with the job.
	Start time.Time
	// End is when it ended; zero until then.
	End time.Time
	// Entered is when it last entered each state.
	Entered map[State]time.Time
	// Progress counts the steps that the job ran, those before its snapshot included.
	Progress int64
	// Restarts is the metric numRestarts.
	Restarts int64
	// From is the snapshot that the job started from; nil: from nothing.
	From *Snapshot
	// Restored is the snapshot that it last started or restarted from; nil: none.
	Restored *Snapshot
	// RestoredAt is when.
	RestoredAt time.Time
	// Failures are the exception history, oldest first.
	Failures []Failure
	// Checkpoints are the statistics, oldest first.
	Checkpoints []Checkpoint
	// OnlyEnd says that nothing is known of the job but how it ended, see Sparse.
	OnlyEnd bool
	// NoGraph says that the job waits for resources under the adaptive scheduler, or ended while it did: nothing is told
	// of its tasks and checkpoints then, nor when it was cancelled (recorded with Flink 1.20 and 2.2).
	NoGraph bool
	// Bounds are the resource requirements by vertex ID; nil until somebody sets them. See Rescale.
	Bounds map[string]Bound
	// taken are those that the tasks run by.
	taken map[string]Bound

	storage    *Storage
	operations map[string]*Operation
	next       int64
	cancelling int
	lastCycle  time.Time
	finishing  *Operation // a stop whose savepoint is complete
	toFinish   int
}

// Bound is the range of parallelism of one vertex.
type Bound struct {
	// Lower is the least.
	Lower int
	// Upper is the most.
	Upper int
}

// New begins a job. from is the snapshot to start from, nil for none.
func New(options Options, storage *Storage, from *Snapshot, now time.Time) *Job {
	j := &Job{
		Options: options, storage: storage, From: from, Restored: from, Start: now, lastCycle: now, next: 1,
		Entered: map[State]time.Time{}, operations: map[string]*Operation{},
	}
	if from != nil {
		j.Progress, j.next, j.RestoredAt = from.Progress, from.CheckpointID+1, now // whichever job made it
	}
	j.enter(Created, now)
	j.NoGraph = j.Adaptive
	return j
}

// Copy is the job as it is now: what happens to it later does not show in the copy.
func (j *Job) Copy() *Job {
	then := *j
	then.Entered, then.Bounds, then.taken = maps.Clone(j.Entered), maps.Clone(j.Bounds), maps.Clone(j.taken)
	then.Failures, then.Checkpoints = slices.Clone(j.Failures), slices.Clone(j.Checkpoints)
	then.operations = map[string]*Operation{}
	for id, o := range j.operations {
		one := *o
		then.operations[id] = &one
		if o == j.finishing {
			then.finishing = &one
		}
	}
	return &then
}

func (j *Job) enter(state State, now time.Time) {
	j.State, j.Entered[state] = state, now
	j.NoGraph = j.NoGraph && state != Running
	if j.Adaptive && state == Running {
		delete(j.Entered, Restarting) // it is a new execution graph
	}
	if state.Ended() {
		j.End = now
		j.cleanUp()
	}
}

// IsSetUp is false for a job whose JobMaster could not start, such as one whose snapshot is not there: it has no
// vertices.
func (j *Job) IsSetUp() bool { return !j.Entered[Created].IsZero() }

// Sparse is a job of which no more is known than how it ended
// (ArchivedExecutionGraph.createSparseArchivedExecutionGraph).
func Sparse(id string, end State, now time.Time) *Job {
	j := New(Options{ID: id, Name: "unknown"}, NewStorage(), nil, now)
	j.OnlyEnd = true
	delete(j.Entered, Created)
	j.Entered[Initializing] = now
	j.enter(end, now)
	return j
}

// Modified is the time of the last change of state.
func (j *Job) Modified() time.Time { return j.Entered[j.State] }

// Vertices returns the vertex IDs: a source and a sink.
func (j *Job) Vertices() []string {
	return []string{VertexID(j.Name, "source"), VertexID(j.Name, "sink")}
}

// VertexID derives a vertex ID from the job's and the vertex's name, so that it is the same after an upgrade.
func VertexID(jobName, vertex string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(jobName+"/"+vertex)))[:32]
}

// Step moves the job by one step. slots says whether the TaskManagers have room for it.
//
//	CREATED, RESTARTING    RUNNING when there are slots; FAILED by its script; CREATED without slots, if adaptive
//	RUNNING                progress, a checkpoint when one is due; RESTARTING or FAILED when the slots are gone
//	CANCELLING             CANCELED
//	ended                  nothing
//
// Operations in flight go on in RUNNING and fail when the job leaves it.
func (j *Job) Step(now time.Time, slots bool) {
	j.forget(now)
	switch {
	case j.State.Ended() || j.State == Suspended:
	case j.State == Cancelling:
		if j.cancelling--; j.cancelling < 0 {
			j.enter(Canceled, now)
		}
	case j.State == Running && !slots:
		j.Restart(
			"org.apache.flink.runtime.io.network.netty.exception.RemoteTransportException",
			"Connection to the TaskManager was lost", now,
		)
	case j.State == Running && j.finishing != nil:
		j.finish(now)
	case j.State == Running && j.Script.KeepsRestarting:
		j.Restart("java.lang.IllegalStateException", "the job fails over and over", now)
	case j.State == Running && j.Small && j.Progress >= smallSteps:
		j.Finish(now)
	case j.State == Running:
		j.Progress++
		j.cycle(now)
		j.advance(now)
	case j.Script.FailAtStart != "":
		j.Fail("org.apache.flink.runtime.JobException", j.Script.FailAtStart, now)
	case slots && !j.Script.KeepsRestarting && j.lacksFiles():
		if now.After(j.Modified()) {
			j.Restart("java.io.FileNotFoundException", "File does not exist: "+j.Restored.Path+"/_metadata", now)
		}
	case slots && !j.Script.KeepsRestarting:
		j.enter(Running, now)
	case j.Adaptive && !slots && !j.NoGraph:
		j.NoGraph = true
		j.enter(Created, now)
	}
}

// restore takes the tasks back to the newest state.
func (j *Job) restore(now time.Time) {
	j.Progress, j.Restored, j.RestoredAt = 0, j.newestState(), now
	if j.Restored != nil {
		j.Progress = j.Restored.Progress
	}
}

// lacksFiles says whether the files that the tasks are to be restored from are gone: they fail again and again then.
func (j *Job) lacksFiles() bool {
	if j.Restored == nil || j.Restored.Path == NotAddressable {
		return false
	}
	_, there := j.storage.Get(j.Restored.Path)
	return !there
}

// ReturnsTo is the snapshot that the tasks go back to when they fail now; nil: they begin from nothing.
func (j *Job) ReturnsTo() *Snapshot { return j.newestState() }

// newestState is what a restart goes back to: the newest checkpoint, else what the job started from.
func (j *Job) newestState() *Snapshot {
	for i := len(j.Checkpoints) - 1; i >= 0; i-- {
		if c := j.Checkpoints[i]; c.Status == Completed && !c.Savepoint {
			return &Snapshot{Path: c.Path, JobID: j.ID, CheckpointID: c.ID, Progress: c.Progress, At: c.End}
		}
	}
	return j.From
}

// Finish ends the job as FINISHED, as when its sources have come to their end.
func (j *Job) Finish(now time.Time) {
	if !j.State.Ended() {
		j.abandon(now, "the job finished")
		j.enter(Finished, now)
	}
}

// Suspend is what a JobManager that shuts down does to its jobs: they may go on elsewhere.
func (j *Job) Suspend(now time.Time) {
	if !j.State.Ended() {
		j.enter(Suspended, now)
	}
}

// Cancel begins a cancellation. It is false when the job has ended otherwise.
func (j *Job) Cancel(now time.Time) bool {
	if j.State == Canceled || j.State == Cancelling {
		return true
	}
	if j.State.Ended() {
		return false
	}
	j.abandon(now, "the job was cancelled")
	j.cancelling = j.Script.CancelSteps
	j.enter(Cancelling, now)
	return true
}

// cleanUp deletes the checkpoints that no longer belong to anybody (CheckpointProperties; recorded with Flink 1.20 and
// 2.2). A JobManager that ends without high availability leaves all files, whether by SIGTERM or SIGKILL.
//
//	retention                 FINISHED   CANCELED   FAILED
//	RETAIN_ON_CANCELLATION    deleted    kept       kept
//	DELETE_ON_CANCELLATION    deleted    deleted    kept
//	otherwise                 deleted    deleted    deleted
func (j *Job) cleanUp() {
	kept := j.Retain == RetainedOnCancellation && j.State != Finished || j.Retain == DeletedOnCancellation &&
		j.State == Failed
	for i := range j.Checkpoints {
		if c := &j.Checkpoints[i]; !kept && !c.Savepoint && c.Status == Completed {
			j.discard(c)
		}
	}
}
