package job

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"
)

// Status is Flink's CheckpointStatsStatus, and that of an Operation.
type Status string

// The states of a checkpoint or operation.
const (
	InProgress Status = "IN_PROGRESS"
	Completed  Status = "COMPLETED"
	Broken     Status = "FAILED"
)

// NotAddressable is the path of a checkpoint in the JobManager's memory.
const NotAddressable = "<checkpoint-not-externally-addressable>"

// Remembered is rest.async.store-duration: how long the result of an operation is known.
const Remembered = 5 * time.Minute

// Checkpoint is one entry of the statistics: a checkpoint or a savepoint.
type Checkpoint struct {
	// ID counts checkpoints and savepoints of the job, in the order in which they begin.
	ID int64
	// Status is InProgress only in History: one in flight is an Operation.
	Status Status
	// Savepoint says that it is a savepoint.
	Savepoint bool
	// Stop says that it is the savepoint of a stop.
	Stop bool
	// Format is a savepoint's.
	Format string
	// Path is where it lies.
	Path string
	// Trigger is when it began.
	Trigger time.Time
	// End is when it was completed or failed.
	End time.Time
	// Progress is how far the job was.
	Progress int64
	// Discarded says that Flink deleted it since.
	Discarded bool
	// Message is why it failed.
	Message string
}

// Kind is what an operation does.
type Kind string

// The kinds of operations.
const (
	Savepoint     Kind = "savepoint"
	Stop          Kind = "stop"
	OneCheckpoint Kind = "checkpoint"
)

// Operation is a savepoint, stop or checkpoint that somebody triggered.
type Operation struct {
	// ID is the trigger ID.
	ID string
	// Kind is what it does.
	Kind Kind
	// Status is InProgress or Completed: a failed one is Completed with a Failure, as in Flink.
	Status Status
	// Path is the savepoint's.
	Path string
	// CheckpointID is the checkpoint's.
	CheckpointID int64
	// Failure is why it failed; nil: it did not.
	Failure *Failure

	number int64 // of its checkpoint; 0: it never began
	format string
	target string
	cancel bool
	begun  time.Time
	done   time.Time
	steps  int
}

// Trigger is a request for an operation.
type Trigger struct {
	// ID is the trigger ID; it must not be empty.
	ID string
	// Kind is what to do.
	Kind Kind
	// Target is the directory; empty: the job's SavepointDir.
	Target string
	// Format is that of a savepoint; empty: CANONICAL.
	Format string
	// Cancel cancels the job after the savepoint.
	Cancel bool
}

// Begin starts an operation, unless the job knows its ID already. It says whether it is new. As in Flink it succeeds on
// a job that does not run: the operation's result tells.
func (j *Job) Begin(t Trigger, now time.Time) (fresh bool) {
	j.forget(now)
	id := family(t.Kind) + t.ID
	if _, known := j.operations[id]; known {
		return false
	}
	o := &Operation{
		ID: t.ID, Kind: t.Kind, Status: InProgress, target: t.Target, format: t.Format, cancel: t.Cancel, begun: now,
		steps: j.Script.SnapshotSteps,
	}
	if o.target == "" {
		o.target = j.SavepointDir
	}
	if o.format == "" {
		o.format = "CANONICAL"
	}
	j.operations[id] = o
	switch {
	case j.State.Ended():
		o.Status, o.done, o.Failure = Completed, now, JobGone(j.ID, now)
	case j.State != Running:
		j.fail(
			o, now,
			"Checkpoint triggering task is not being executed at the moment. Job is not in state RUNNING but "+
				string(j.State)+" instead.",
		)
	default:
		if t.Kind == Stop {
			j.suspendCheckpoints(now)
		}
		o.number = j.next
		j.next++
	}
	return true
}

// suspendCheckpoints is what a stop does to the snapshots in flight: Flink wants no other one after its savepoint
// (SchedulerBase.stopWithSavepoint; recorded with Flink 1.20).
func (j *Job) suspendCheckpoints(now time.Time) {
	for _, o := range j.inOrder() {
		if o.Kind != Stop && o.number > 0 {
			j.fail(o, now, "Checkpoint Coordinator is suspending.")
		}
	}
}

// JobGone is how an operation on a job fails that has ended or was never there: its JobMaster is gone.
func JobGone(jobID string, now time.Time) *Failure {
	cause := "org.apache.flink.runtime.messages.FlinkJobNotFoundException: Could not find Flink job (" + jobID + ")"
	return &Failure{Class: completion, Message: cause, Cause: cause, At: now}
}

// completion is the class around every failure of an operation.
const completion = "java.util.concurrent.CompletionException"

// family: savepoints and stops share one set of IDs, checkpoints have their own.
func family(kind Kind) string {
	if kind == OneCheckpoint {
		return "checkpoint/"
	}
	return "savepoint/"
}

// Look finds an operation.
func (j *Job) Look(kind Kind, id string, now time.Time) (Operation, bool) {
	j.forget(now)
	if o, ok := j.operations[family(kind)+id]; ok {
		return *o, true
	}
	return Operation{}, false
}

// InFlight returns how many operations are not decided.
func (j *Job) InFlight() int { return len(j.inOrder()) }

// History returns the statistics with the snapshots that are in progress, oldest first.
func (j *Job) History() []Checkpoint {
	all := slices.Clone(j.Checkpoints)
	for _, o := range j.inOrder() {
		if o.number > 0 && o != j.finishing {
			all = append(all, o.entry(InProgress))
		}
	}
	slices.SortStableFunc(all, func(a, b Checkpoint) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// entry is what the statistics say of its snapshot.
func (o *Operation) entry(status Status) Checkpoint {
	return Checkpoint{
		ID: o.number, Status: status, Savepoint: o.Kind != OneCheckpoint, Stop: o.Kind == Stop, Format: o.format,
		Trigger: o.begun,
	}
}

func (j *Job) forget(now time.Time) {
	for id, o := range j.operations {
		if o.Status == Completed && now.Sub(o.done) > Remembered {
			delete(j.operations, id)
		}
	}
}

// advance moves the operations in flight, in the order of their begin.
func (j *Job) advance(now time.Time) {
	for _, o := range j.inOrder() {
		if o.steps--; o.steps >= 0 || j.State != Running {
			continue
		}
		if j.Script.SnapshotFails != "" {
			j.fail(o, now, j.Script.SnapshotFails)
			continue
		}
		j.complete(o, now)
	}
}

func (j *Job) inOrder() []*Operation {
	var open []*Operation
	for _, o := range j.operations {
		if o.Status != InProgress {
			continue
		}
		at := 0
		for at < len(open) && (open[at].begun.Before(o.begun) || open[at].begun.Equal(o.begun) && open[at].ID < o.ID) {
			at++
		}
		open = append(open[:at], append([]*Operation{o}, open[at:]...)...)
	}
	return open
}

func (j *Job) complete(o *Operation, now time.Time) {
	if o.Kind == OneCheckpoint {
		o.Status, o.done = Completed, now
		o.CheckpointID = j.checkpoint(o.number, o.begun, now)
		return
	}
	// Flink draws the name of each: another run of the job writes over none.
	name := sha256.Sum256(fmt.Append(nil, j.ID, o.ID, j.Start.UnixMilli()))
	o.Path = fmt.Sprintf("%s/savepoint-%s-%x", o.target, j.ID[:6], name[:6])
	made := o.entry(Completed)
	made.Path, made.End = o.Path, now
	j.record(made)
	if o.Kind == Stop {
		j.finishing, j.toFinish = o, j.Script.FinishSteps
		j.finish(now)
		return
	}
	o.Status, o.done = Completed, now
	if o.cancel {
		j.Cancel(now)
	}
}

// finish is a step of the tasks of a stop after its savepoint.
func (j *Job) finish(now time.Time) {
	o := j.finishing
	switch {
	case j.toFinish > 0:
		j.toFinish--
	case j.Script.StopFails || j.Script.StopRestarts:
		j.breakStop(o, "java.lang.IllegalStateException", "close failed", now)
	default:
		o.Status, o.done, j.finishing = Completed, now, nil
		j.Finish(now)
	}
}

// breakStop is a task that fails instead of finishing, with this cause. The savepoint stays in any case (recorded with
// Flink 1.20 and 2.2; the same since FLINK-26923 and FLINK-27972, which 1.15.0 does not have).
//
//	scheduler           the job                                 the failure of the stop names the savepoint
//	default             FAILED whatever its restart strategy    first of all
//	adaptive            the same                                as its cause
//	adaptive, 1.15.0    restarts where its strategy allows it   not at all
func (j *Job) breakStop(o *Operation, class, message string, now time.Time) {
	cause := "org.apache.flink.runtime.scheduler.stopwithsavepoint.StopWithSavepointStoppingException: A savepoint has " +
		"been created at: " +
		o.Path + ", but the corresponding job " + j.ID +
		" failed during stopping. The savepoint is consistent, but might have uncommitted transactions."
	told := cause
	if j.Adaptive || j.Script.StopRestarts {
		told = unstopped + ": " + notStopped
	}
	o.Status, o.done, j.finishing = Completed, now, nil
	o.Failure = &Failure{Class: completion, Message: told, Cause: cause, At: now}
	if j.Script.StopRestarts {
		o.Failure.Cause = class + ": " + message
		j.Restart(class, message, now)
		return
	}
	j.Fail(unstopped, notStopped, now)
}

// What Flink says of a stop that did not come to its end.
const (
	unstopped  = "org.apache.flink.util.FlinkException"
	notStopped = "Stop with savepoint operation could not be completed."
)

func (j *Job) fail(o *Operation, now time.Time, message string) {
	o.Status, o.done = Completed, now
	cause := "org.apache.flink.runtime.checkpoint.CheckpointException: " + message
	o.Failure = &Failure{Class: completion, Message: cause, Cause: cause, At: now}
	if o.number > 0 {
		broken := o.entry(Broken)
		broken.End, broken.Message = now, message
		j.record(broken)
	}
}

// abandon fails all operations in flight.
func (j *Job) abandon(now time.Time, why string) {
	for _, o := range j.inOrder() {
		if o == j.finishing {
			o.number = 0 // its savepoint is complete
		}
		j.fail(o, now, "Checkpoint Coordinator is suspending: "+why+".")
	}
	j.finishing = nil
}

// cycle completes the periodic checkpoint when the interval is over. It waits for the snapshot that is in flight:
// execution.checkpointing.max-concurrent-checkpoints is 1 (CheckpointRequestDecider).
func (j *Job) cycle(now time.Time) {
	due := j.Interval > 0 && !j.Batch && now.Sub(j.lastCycle) >= j.Interval
	if due && !j.Script.NoCheckpoints && len(j.inOrder()) == 0 {
		j.next++
		j.checkpoint(j.next-1, now, now)
	}
}

// checkpoint completes a checkpoint and drops the one before: state.checkpoints.num-retained is 1.
func (j *Job) checkpoint(number int64, begun, now time.Time) int64 {
	for i := range j.Checkpoints {
		if c := &j.Checkpoints[i]; c.Status == Completed && !c.Savepoint {
			j.discard(c)
		}
	}
	if j.Claim == Claimed && j.From != nil {
		j.storage.Remove(j.From.Path)
	}
	j.lastCycle = now
	path := NotAddressable
	if j.CheckpointDir != "" {
		path = fmt.Sprintf("%s/%s/chk-%d", j.CheckpointDir, j.ID, number)
	}
	return j.record(Checkpoint{ID: number, Status: Completed, Path: path, Trigger: begun, End: now})
}

func (j *Job) discard(c *Checkpoint) {
	c.Discarded = true
	j.storage.Remove(c.Path)
}

// Discards notes in a copy what was discarded since.
func (j *Job) Discards(now *Job) {
	if j == nil || now == nil {
		return
	}
	for i := range j.Checkpoints {
		for _, c := range now.Checkpoints {
			j.Checkpoints[i].Discarded = j.Checkpoints[i].Discarded || c.ID == j.Checkpoints[i].ID && c.Discarded
		}
	}
}

// record writes the statistics, by the numbers of the snapshots, and stores what succeeded.
func (j *Job) record(c Checkpoint) int64 {
	c.Progress = j.Progress
	j.Checkpoints = append(j.Checkpoints, c)
	slices.SortStableFunc(j.Checkpoints, func(a, b Checkpoint) int { return cmp.Compare(a.ID, b.ID) })
	if c.Status == Completed && c.Path != NotAddressable {
		made := Snapshot{
			Path: c.Path, JobID: j.ID, CheckpointID: c.ID, Savepoint: c.Savepoint, Progress: c.Progress, At: c.End,
		}
		if copies := j.Claim == "" || j.Claim == NoClaim; !copies && !c.Savepoint && j.From != nil {
			made.BuiltOn = append(slices.Clone(j.From.BuiltOn), j.From.Path)
		}
		j.storage.Put(made)
	}
	return c.ID
}

// Latest returns the newest completed checkpoint (or savepoint) of the statistics, or nil.
func (j *Job) Latest(savepoint bool) *Checkpoint {
	for i := len(j.Checkpoints) - 1; i >= 0; i-- {
		if c := j.Checkpoints[i]; c.Status == Completed && c.Savepoint == savepoint {
			return &c
		}
	}
	return nil
}
