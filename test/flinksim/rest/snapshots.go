package rest

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

func triggerSavepoint(c *call) (any, error) {
	var body struct {
		Target  string `json:"target-directory"`
		Cancel  bool   `json:"cancel-job"`
		Trigger string `json:"triggerId"`
	}
	if err := c.read(&body); err != nil {
		return nil, err
	}
	return c.trigger(job.Trigger{ID: body.Trigger, Kind: job.Savepoint, Target: body.Target, Cancel: body.Cancel})
}

func stopWithSavepoint(c *call) (any, error) {
	var body struct {
		Target  string `json:"targetDirectory"`
		Trigger string `json:"triggerId"`
	}
	if err := c.read(&body); err != nil {
		return nil, err
	}
	return c.trigger(job.Trigger{ID: body.Trigger, Kind: job.Stop, Target: body.Target})
}

func triggerCheckpoint(c *call) (any, error) {
	if !c.jm.Config.AtLeast(1, 17) {
		return unknownPath(c)
	}
	var body struct {
		Trigger string `json:"triggerId"`
	}
	if err := c.read(&body); err != nil {
		return nil, err
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
			t.ID,
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
	if j.NoGraph {
		none := object{"restored": 0, "total": 0, "in_progress": 0, "completed": 0, "failed": 0}
		return object{"counts": none, "history": []any{},
			"latest": object{"completed": nil, "savepoint": nil, "failed": nil, "restored": nil}}, nil
	}
	counts := map[job.Status]int{}
	history := []any{}
	for _, ck := range slices.Backward(j.Checkpoints) {
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
			"id": r.CheckpointID, "restore_timestamp": millis(j.Entered[job.Created], 0), "is_savepoint": r.Savepoint,
			"external_path": r.Path,
		}
	}
	return object{
		"counts": object{
			"restored": times, "total": len(j.Checkpoints) + j.InFlight(), "in_progress": j.InFlight(),
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
		"className": map[job.Status]string{job.Completed: "completed", job.Broken: "failed"}[ck.Status],
		"id":        ck.ID, "status": ck.Status, "is_savepoint": ck.Savepoint, "savepointFormat": nil,
		"checkpoint_type":   kind,
		"trigger_timestamp": millis(ck.Trigger, 0), "latest_ack_timestamp": millis(ck.End, -1), "state_size": 1024,
		"checkpointed_size":   1024,
		"end_to_end_duration": ck.End.Sub(ck.Trigger).Milliseconds(), "num_subtasks": 4, "num_acknowledged_subtasks": 4,
	}
	if ck.Savepoint {
		out["savepointFormat"] = "CANONICAL"
	}
	if ck.Status == job.Completed {
		out["external_path"], out["discarded"] = ck.Path, ck.Discarded
	} else {
		out["failure_timestamp"], out["failure_message"] = millis(ck.End, 0), ck.Message
	}
	return out
}

func checkpointConfig(_ *call, j *job.Job) (any, error) {
	interval := int64(1<<63 - 1)
	if j.Interval > 0 {
		interval = j.Interval.Milliseconds()
	}
	return object{
		"mode": "exactly_once", "interval": interval, "timeout": 600000, "min_pause": 0, "max_concurrent": 1,
		"externalization": object{
			"enabled":                j.Retain == job.RetainedOnCancellation || j.Retain == job.DeletedOnCancellation,
			"delete_on_cancellation": j.Retain != job.RetainedOnCancellation,
		},
		"state_backend": "HashMapStateBackend", "checkpoint_storage": "FileSystemCheckpointStorage",
		"unaligned_checkpoints":        false,
		"tolerable_failed_checkpoints": 0, "aligned_checkpoint_timeout": 0, "checkpoints_after_tasks_finish": true,
	}, nil
}

func checkpointDetails(c *call, j *job.Job) (any, error) {
	id, err := strconv.ParseInt(c.r.PathValue("checkpoint"), 10, 64)
	for i := range j.Checkpoints {
		if err == nil && j.Checkpoints[i].ID == id {
			return checkpointJSON(&j.Checkpoints[i]), nil
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
	if c.jm.Storage().Remove(body.Path) {
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
