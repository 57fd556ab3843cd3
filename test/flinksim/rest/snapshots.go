package rest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// The enums of requests. What is none of them is refused.
type (
	savepointFormat string
	checkpointType  string
)

// UnmarshalText reads a format.
func (f *savepointFormat) UnmarshalText(text []byte) (err error) {
	*f, err = one[savepointFormat](text, "CANONICAL", "NATIVE")
	return err
}

// UnmarshalText reads a type.
func (t *checkpointType) UnmarshalText(text []byte) (err error) {
	*t, err = one[checkpointType](text, "CONFIGURED", "FULL", "INCREMENTAL")
	return err
}

func one[T ~string](text []byte, values ...T) (T, error) {
	if value := T(text); slices.Contains(values, value) {
		return value, nil
	}
	return "", fmt.Errorf("from String %q: not one of the values accepted for Enum class", text)
}

func triggerSavepoint(c *call) (any, error) {
	var body struct {
		Target  string          `json:"target-directory"`
		Cancel  bool            `json:"cancel-job"`
		Format  savepointFormat `json:"formatType"`
		Trigger string          `json:"triggerId"`
	}
	if err := c.read(&body); err != nil {
		return nil, err
	}
	return c.trigger(job.Trigger{
		ID: body.Trigger, Kind: job.Savepoint, Target: body.Target, Format: string(body.Format), Cancel: body.Cancel,
	})
}

func stopWithSavepoint(c *call) (any, error) {
	var body struct {
		Target  string          `json:"targetDirectory"`
		Format  savepointFormat `json:"formatType"`
		Trigger string          `json:"triggerId"`
	}
	if err := c.read(&body); err != nil {
		return nil, err
	}
	return c.trigger(job.Trigger{ID: body.Trigger, Kind: job.Stop, Target: body.Target, Format: string(body.Format)})
}

func triggerCheckpoint(c *call) (any, error) {
	if !c.jm.Config.AtLeast(1, 17) {
		return unknownPath(c)
	}
	var body struct {
		Type    checkpointType `json:"checkpointType"`
		Trigger string         `json:"triggerId"`
	}
	if err := c.read(&body); err != nil {
		return nil, err
	}
	if body.Type == "INCREMENTAL" {
		return nil, errors.New("java.lang.IllegalStateException: Flink does not support triggering incremental checkpoint " +
			"explicitly. See FLINK-33723.")
	}
	return c.trigger(job.Trigger{ID: body.Trigger, Kind: job.OneCheckpoint})
}

// trigger accepts an operation. A job that is not there is no refusal: the operation's status says so.
func (c *call) trigger(t job.Trigger) (any, error) {
	id := c.r.PathValue("job")
	if t.ID == "" {
		t.ID = c.jm.NextID("trigger")
	} else if !hex32.MatchString(t.ID) {
		return nil, refuse(
			http.StatusBadRequest,
			"Request did not match expected format.\nCaused by: java.lang.NumberFormatException: For input string: %q "+
				"under radix 16",
			t.ID[:min(2, len(t.ID))],
		)
	}
	j := c.jm.Job(id)
	directory := c.jm.Config.First("execution.checkpointing.savepoint-dir", "state.savepoints.dir")
	if j != nil && j.SavepointDir != "" {
		directory = j.SavepointDir
	}
	if t.Kind != job.OneCheckpoint && t.Target == "" && directory == "" {
		return nil, refuse(
			http.StatusBadRequest,
			"Config key [execution.checkpointing.savepoint-dir] is not set. Property [target-directory] must be provided.",
		)
	}
	switch {
	case j == nil:
		c.jm.Files[orphan(t.Kind, id, t.ID)] = *job.JobGone(id, c.jm.Now())
	case j.Begin(t, c.jm.Now()):
		c.effect("trigger %s %s of job %s", t.Kind, t.ID, id)
	}
	return status{http.StatusAccepted, object{"request-id": t.ID}}, nil
}

// orphan is where the dispatcher keeps the failure of an operation on a job that is not there.
func orphan(kind job.Kind, jobID, trigger string) string {
	if kind == job.Stop {
		kind = job.Savepoint
	}
	return "orphan/" + string(kind) + "/" + jobID + "/" + trigger
}

// look finds an operation, of the job or of nobody.
func (c *call) look(kind job.Kind) (job.Operation, bool) {
	id, trigger := c.r.PathValue("job"), c.r.PathValue("trigger")
	if j := c.jm.Job(id); j != nil {
		if o, known := j.Look(kind, trigger, c.jm.Now()); known {
			return o, true
		}
	}
	failure, known := c.jm.Files[orphan(kind, id, trigger)].(job.Failure)
	return job.Operation{Status: job.Completed, Failure: &failure}, known && c.jm.Now().Sub(failure.At) <= job.Remembered
}

// operationStatus answers for savepoints, stops (which share the savepoints' path) and checkpoints.
func operationStatus(kind job.Kind) func(*call) (any, error) {
	return func(c *call) (any, error) {
		o, known := c.look(kind)
		if !known {
			return nil, refuse(
				http.StatusNotFound, "There is no %s operation with triggerId=%s for job %s.", kind, c.r.PathValue("trigger"),
				c.r.PathValue("job"),
			)
		}
		if o.Status == job.InProgress {
			return object{"status": object{"id": "IN_PROGRESS"}, "operation": nil}, nil
		}
		result := object{}
		switch {
		case kind == job.OneCheckpoint && o.Failure != nil:
			result["failureCause"] = cause(o.Failure)
		case kind == job.OneCheckpoint:
			result["checkpointId"] = o.CheckpointID
		case o.Failure != nil:
			result["failure-cause"] = cause(o.Failure)
		default:
			result["location"] = o.Path
		}
		return object{"status": object{"id": "COMPLETED"}, "operation": result}, nil
	}
}

func checkpointStatistics(_ *call, j *job.Job) (any, error) {
	if j.OnlyEnd {
		return nil, refuse(http.StatusNotFound, "Checkpointing has not been enabled.") // though it was
	}
	if j.Batch {
		return nil, refuse(http.StatusNotFound, "Checkpointing has not been enabled.")
	}
	if j.NoGraph {
		none := object{"restored": 0, "total": 0, "in_progress": 0, "completed": 0, "failed": 0}
		return object{"counts": none, "history": []any{},
			"latest": object{"completed": nil, "savepoint": nil, "failed": nil, "restored": nil}}, nil
	}
	counts, all := map[job.Status]int{}, j.History()
	history := []any{}
	for _, ck := range slices.Backward(all) {
		counts[ck.Status]++
		if len(history) < 10 {
			history = append(history, checkpointJSON(&ck))
		}
	}
	var failed any
	for i := range j.Checkpoints {
		if j.Checkpoints[i].Status == job.Broken {
			failed = checkpointJSON(&j.Checkpoints[i])
		}
	}
	var restored any
	times := j.Restarts
	if r := j.Restored; r != nil {
		if j.From != nil {
			times++
		}
		restored = object{
			"id": r.CheckpointID, "restore_timestamp": millis(j.RestoredAt, 0), "is_savepoint": r.Savepoint,
			"external_path": r.Path,
		}
	}
	return object{
		"counts": object{
			"restored": times, "total": len(all), "in_progress": counts[job.InProgress],
			"completed": counts[job.Completed], "failed": counts[job.Broken],
		},
		"latest": object{
			"completed": checkpointJSON(j.Latest(false)), "savepoint": checkpointJSON(j.Latest(true)), "failed": failed,
			"restored": restored,
		},
		"history": history,
	}, nil
}

func checkpointJSON(ck *job.Checkpoint) any {
	if ck == nil {
		return nil
	}
	kind := "CHECKPOINT"
	switch {
	case ck.Stop:
		kind = "SYNC_SAVEPOINT"
	case ck.Savepoint:
		kind = "SAVEPOINT"
	}
	out := object{
		"className": map[job.Status]string{
			job.Completed: "completed", job.Broken: "failed", job.InProgress: "in_progress",
		}[ck.Status],
		"id": ck.ID, "status": ck.Status, "is_savepoint": ck.Savepoint, "savepointFormat": nil,
		"checkpoint_type":   kind,
		"trigger_timestamp": millis(ck.Trigger, 0), "latest_ack_timestamp": millis(ck.Trigger, -1), "state_size": 1024,
		"checkpointed_size":   1024,
		"end_to_end_duration": 0, "num_subtasks": 4, "num_acknowledged_subtasks": 4,
	}
	if ck.Savepoint {
		out["savepointFormat"] = ck.Format
	}
	switch ck.Status {
	case job.Completed:
		out["external_path"], out["discarded"] = ck.Path, ck.Discarded
		out["latest_ack_timestamp"], out["end_to_end_duration"] = millis(ck.End, -1), ck.End.Sub(ck.Trigger).Milliseconds()
	case job.Broken:
		out["failure_timestamp"], out["failure_message"] = millis(ck.End, 0), ck.Message
		out["latest_ack_timestamp"], out["end_to_end_duration"] = -1, ck.End.Sub(ck.Trigger).Milliseconds()
	}
	return out
}

func checkpointConfig(_ *call, j *job.Job) (any, error) {
	if j.Batch {
		return nil, refuse(http.StatusNotFound, "Checkpointing is not enabled for this job (%s).", j.ID)
	}
	mode, interval := "at_least_once", int64(1<<63-1)
	if j.Interval > 0 {
		mode, interval = "exactly_once", j.Interval.Milliseconds()
	}
	backend, storage := "HashMapStateBackend", "FileSystemCheckpointStorage"
	if j.NoGraph {
		backend, storage = "Unknown", "Unknown"
	}
	return object{
		"mode": mode, "interval": interval, "timeout": j.Timeout.Milliseconds(), "min_pause": 0, "max_concurrent": 1,
		"externalization": object{
			"enabled":                j.Retain == job.RetainedOnCancellation || j.Retain == job.DeletedOnCancellation,
			"delete_on_cancellation": j.Retain != job.RetainedOnCancellation,
		},
		"state_backend": backend, "checkpoint_storage": storage,
		"unaligned_checkpoints":        false,
		"tolerable_failed_checkpoints": 0, "aligned_checkpoint_timeout": 0, "checkpoints_after_tasks_finish": true,
	}, nil
}

func checkpointDetails(c *call, j *job.Job) (any, error) {
	id, err := strconv.ParseInt(c.r.PathValue("checkpoint"), 10, 64)
	for _, ck := range j.History() {
		if err == nil && ck.ID == id {
			return checkpointJSON(&ck), nil
		}
	}
	return nil, refuse(
		http.StatusNotFound, "Could not find checkpointing statistics for checkpoint %s.", c.r.PathValue("checkpoint"),
	)
}

// disposeSavepoint carries a disposal out at once. The trigger ID is Flink's own; it knows the result while it lives.
func disposeSavepoint(c *call) (any, error) {
	var body struct {
		Path string `json:"savepoint-path"`
	}
	if err := c.read(&body); err != nil {
		return nil, err
	}
	id := c.jm.NextID("disposal")
	result := object{}
	if c.jm.Storage().Dispose(body.Path) {
		c.effect("dispose of %s", body.Path)
	} else {
		result["failure-cause"] = cause(&job.Failure{
			Class: "org.apache.flink.util.FlinkException", Message: "Could not dispose savepoint " + body.Path + ".",
			Cause: "java.io.FileNotFoundException: Cannot find checkpoint or savepoint file/directory '" + body.Path +
				"' on file system 'file'.",
		})
	}
	c.jm.Files["disposal/"+id] = result
	return object{"request-id": id}, nil
}

func disposalStatus(c *call) (any, error) {
	result, known := c.jm.Files["disposal/"+c.r.PathValue("trigger")]
	if !known {
		return nil, refuse(http.StatusNotFound, "Operation not found under key: %s", c.r.PathValue("trigger"))
	}
	return object{"status": object{"id": "COMPLETED"}, "operation": result}, nil
}
