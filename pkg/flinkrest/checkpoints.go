package flinkrest

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

// CheckpointStatus is Flink's CheckpointStatsStatus.
type CheckpointStatus string

// The states of a checkpoint. A text that is none of them is kept and equals none of these.
const (
	CheckpointStatusUnknown CheckpointStatus = ""
	CheckpointInProgress    CheckpointStatus = "IN_PROGRESS"
	CheckpointCompleted     CheckpointStatus = "COMPLETED"
	CheckpointFailed        CheckpointStatus = "FAILED"
)

// NotAddressable is what Flink writes instead of a path for a checkpoint that lies in the JobManager's memory: nothing
// can be restored from it.
const NotAddressable = "<checkpoint-not-externally-addressable>"

// Checkpoint is one checkpoint or savepoint in the statistics of a job.
type Checkpoint struct {
	// ID counts the checkpoints and savepoints of the job.
	ID int64 `json:"id"`
	// Status tells whether it is complete.
	Status CheckpointStatus `json:"status"`
	// IsSavepoint is true for savepoints.
	IsSavepoint bool `json:"is_savepoint"`
	// SavepointFormat is CANONICAL or NATIVE; empty for checkpoints and before Flink 1.16.
	SavepointFormat string `json:"savepointFormat"`
	// Type is CHECKPOINT, UNALIGNED_CHECKPOINT, SAVEPOINT or SYNC_SAVEPOINT (the savepoint of a stop).
	Type string `json:"checkpoint_type"`
	// TriggerTime is when it was triggered.
	TriggerTime Millis `json:"trigger_timestamp"`
	// LatestAck is when the last subtask acknowledged; -1: none has.
	LatestAck Millis `json:"latest_ack_timestamp"`
	// StateSize is the size in bytes of the whole state; with increments more than was written.
	StateSize int64 `json:"state_size"`
	// CheckpointedSize is what was written, in bytes.
	CheckpointedSize int64 `json:"checkpointed_size"`
	// Duration is in milliseconds, from the trigger to the last acknowledgement.
	Duration int64 `json:"end_to_end_duration"`
	// ExternalPath is where it lies, for a completed one; NotAddressable if nowhere.
	ExternalPath string `json:"external_path"`
	// Discarded tells that Flink has deleted it since. It is often true of Latest.Completed: after a newer one completed
	// while this answer was in Flink's cache, and after the job has FINISHED. A discarded one cannot be restored from.
	Discarded bool `json:"discarded"`
	// FailureTime is when it failed; 0 for others.
	FailureTime Millis `json:"failure_timestamp"`
	// FailureMessage is why; empty for others.
	FailureMessage string `json:"failure_message"`
}

// Restored is the checkpoint that the job last started or restarted from.
type Restored struct {
	// ID counts the checkpoints and savepoints of the job that made it.
	ID int64 `json:"id"`
	// RestoreTime is when the job was restored.
	RestoreTime Millis `json:"restore_timestamp"`
	// IsSavepoint is true for savepoints.
	IsSavepoint bool `json:"is_savepoint"`
	// ExternalPath is where it lies; NotAddressable if nowhere.
	ExternalPath string `json:"external_path"`
}

// CheckpointStatistics is GET /jobs/:jobid/checkpoints. Counts and history begin with the JobManager process. The
// answer may be as old as rest.cache.checkpoint-statistics.timeout, else web.refresh-interval (3 s): it lacks what
// completed since, which for a job that has just ended may be the very checkpoint to restore from. Read it that long
// after JobSummary.EndTime to be sure.
type CheckpointStatistics struct {
	// Counts are the numbers since the JobManager process began with the job.
	Counts *CheckpointCounts `json:"counts"`
	// Latest are the newest of each sort.
	Latest struct {
		// Completed is the newest completed checkpoint; nil: none. Savepoints are not counted here. See its Discarded.
		Completed *Checkpoint `json:"completed"`
		// Savepoint is the newest completed savepoint; nil: none.
		Savepoint *Checkpoint `json:"savepoint"`
		// Failed is the newest failed one; nil: none.
		Failed *Checkpoint `json:"failed"`
		// Restored is what the job was last restored from; nil: it began empty.
		Restored *Restored `json:"restored"`
	} `json:"latest"`
	// History are the newest checkpoints and savepoints, newest first, at most web.checkpoints.history of them.
	History []Checkpoint `json:"history"`
}

func (s *CheckpointStatistics) Check() error { return present("counts", s.Counts) }

// CheckpointCounts are numbers of checkpoints and savepoints.
type CheckpointCounts struct {
	// Restored is how often the job was restored.
	Restored int64 `json:"restored"`
	// Total is how many were triggered.
	Total int64 `json:"total"`
	// InProgress is how many are not decided yet.
	InProgress int64 `json:"in_progress"`
	// Completed is how many are complete.
	Completed int64 `json:"completed"`
	// Failed is how many failed.
	Failed int64 `json:"failed"`
}

// CheckpointConfig is GET /jobs/:jobid/checkpoints/config.
type CheckpointConfig struct {
	// Mode is exactly_once or at_least_once.
	Mode string `json:"mode"`
	// Interval is in milliseconds; 9223372036854775807: no periodic checkpoints.
	Interval int64 `json:"interval"`
	// Timeout is execution.checkpointing.timeout in milliseconds.
	Timeout int64 `json:"timeout"`
	// MinPause is execution.checkpointing.min-pause in milliseconds.
	MinPause int64 `json:"min_pause"`
	// MaxConcurrent is execution.checkpointing.max-concurrent-checkpoints.
	MaxConcurrent int64 `json:"max_concurrent"`
	// Externalization tells what happens to the checkpoints of a cancelled job.
	Externalization struct {
		// Enabled is true if completed checkpoints have a path.
		Enabled bool `json:"enabled"`
		// DeleteOnCancellation is true if a cancel deletes them.
		DeleteOnCancellation bool `json:"delete_on_cancellation"`
	} `json:"externalization"`
	// StateBackend is the class or short name of the state backend.
	StateBackend string `json:"state_backend"`
	// Storage is the name of the checkpoint storage.
	Storage string `json:"checkpoint_storage"`
	// Unaligned is execution.checkpointing.unaligned.enabled.
	Unaligned bool `json:"unaligned_checkpoints"`
}

func (c *CheckpointConfig) Check() error { return required("mode", c.Mode) }

// CheckpointStatistics reads the statistics of the job. ErrNoCheckpointing: the job makes no checkpoints. ErrNotFound:
// as Job.
func (c *Client) CheckpointStatistics(ctx context.Context, jobID string) (CheckpointStatistics, error) {
	var out CheckpointStatistics
	err := c.conn.Do(ctx, wire.Call{
		Op: "read checkpoint statistics", Method: http.MethodGet, Path: []string{"jobs", jobID, "checkpoints"}, Out: &out,
	})
	return out, err
}

// CheckpointConfig reads how the job makes checkpoints, as its code and the configuration have it. ErrNoCheckpointing:
// it makes none, as in batch mode. ErrNotFound: as Job.
func (c *Client) CheckpointConfig(ctx context.Context, jobID string) (CheckpointConfig, error) {
	var out CheckpointConfig
	err := c.conn.Do(ctx, wire.Call{
		Op: "read checkpoint config", Method: http.MethodGet, Path: []string{"jobs", jobID, "checkpoints", "config"},
		Out: &out,
	})
	return out, err
}

// CheckpointDetails reads one checkpoint (GET /jobs/:jobid/checkpoints/details/:checkpointid). ErrNotFound: as Job, or
// the checkpoint has left the history (web.checkpoints.history).
func (c *Client) CheckpointDetails(ctx context.Context, jobID string, checkpointID int64) (Checkpoint, error) {
	out := checkpointAnswer{asked: checkpointID}
	err := c.conn.Do(ctx, wire.Call{
		Op: "read checkpoint", Method: http.MethodGet,
		Path: []string{"jobs", jobID, "checkpoints", "details", strconv.FormatInt(checkpointID, 10)}, Out: &out,
	})
	return out.Checkpoint, err
}

type checkpointAnswer struct {
	Checkpoint
	asked int64
}

func (a *checkpointAnswer) Check() error {
	if a.ID != a.asked || a.Status == CheckpointStatusUnknown {
		return errors.New("it is not the requested checkpoint")
	}
	return nil
}
