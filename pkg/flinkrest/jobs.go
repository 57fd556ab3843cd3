package flinkrest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

// JobSummary is one entry of GET /jobs/overview.
type JobSummary struct {
	// ID is the job ID, 32 hexadecimal digits.
	ID string `json:"jid"`
	// Name is the job's name (pipeline.name).
	Name string `json:"name"`
	// State is the job's state.
	State JobState `json:"state"`
	// StartTime is when the JobManager took the job on (the timestamp of INITIALIZING): a submit, a fail-over and a
	// leadership lost and won again each give another; a restart of its tasks does not.
	StartTime Millis `json:"start-time"`
	// EndTime is when the job ended; -1 until then.
	EndTime Millis `json:"end-time"`
	// Duration is in milliseconds, until now for a job that has not ended.
	Duration int64 `json:"duration"`
	// LastModification is the time of the last change of state.
	LastModification Millis `json:"last-modification"`
	// Tasks counts the subtasks by state, in lower case, and "total".
	Tasks map[string]int `json:"tasks"`
}

type jobList struct {
	Jobs *[]JobSummary `json:"jobs"`
}

// Items reads the jobs one by one.
func (l *jobList) Items() map[string]func([]byte) error {
	return map[string]func([]byte) error{"jobs": func(text []byte) error {
		if l.Jobs == nil {
			l.Jobs = &[]JobSummary{}
		}
		var one jobList
		return appended(text, l.Jobs, &one, func() []JobSummary { return *one.Jobs })
	}}
}

// appended decodes a text into one, and appends what items then finds there; no text is none.
func appended[T any](text []byte, to *[]T, one any, items func() []T) error {
	if text == nil {
		return nil
	}
	if err := json.Unmarshal(text, one); err != nil {
		return err
	}
	*to = append(*to, items()...)
	return nil
}

func (l *jobList) Check() error {
	if l.Jobs == nil {
		return errors.New("field jobs is missing")
	}
	for i, job := range *l.Jobs {
		if job.ID == "" {
			return fmt.Errorf("field jobs[%d].jid is missing", i)
		}
	}
	return nil
}

// Job is GET /jobs/:jobid.
type Job struct {
	// ID is the job ID, the one asked for.
	ID string `json:"jid"`
	// Name is the job's name (pipeline.name).
	Name string `json:"name"`
	// State is the job's state.
	State JobState `json:"state"`
	// Type is STREAMING or BATCH; empty before Flink 1.19.
	Type string `json:"job-type"`
	// StartTime is when the JobManager took the job on (the timestamp of INITIALIZING): a submit, a fail-over and a
	// leadership lost and won again each give another; a restart of its tasks does not.
	StartTime Millis `json:"start-time"`
	// EndTime is when the job ended; -1 until then.
	EndTime Millis `json:"end-time"`
	// Now is the JobManager's clock.
	Now Millis `json:"now"`
	// MaxParallelism is pipeline.max-parallelism; -1: not set.
	MaxParallelism int `json:"maxParallelism"`
	// Timestamps is when the job last entered each state; 0: never.
	Timestamps map[JobState]Millis `json:"timestamps"`
	// StatusCounts counts the vertices by state, in upper case.
	StatusCounts map[string]int `json:"status-counts"`
	// Vertices are the tasks of the job; empty while it is set up.
	Vertices []Vertex `json:"vertices"`
	// Plan is the graph.
	Plan Plan `json:"plan"`

	asked string
}

// Items reads the vertices one by one, and those of the plan.
func (j *Job) Items() map[string]func([]byte) error {
	return map[string]func([]byte) error{
		"vertices": func(text []byte) error {
			var one struct {
				Vertices []Vertex `json:"vertices"`
			}
			return appended(text, &j.Vertices, &one, func() []Vertex { return one.Vertices })
		},
		"plan.nodes": func(text []byte) error {
			var one struct {
				Plan Plan `json:"plan"`
			}
			return appended(text, &j.Plan.Nodes, &one, func() []PlanNode { return one.Plan.Nodes })
		},
	}
}

func (j *Job) Check() error { return sameJob(j.asked, j.ID) }

func sameJob(asked, got string) error {
	if got != asked {
		return fmt.Errorf("field jid is %.40q, requested %q", got, asked)
	}
	return nil
}

// Vertex is one task of a job.
type Vertex struct {
	// ID is the vertex ID, 32 hexadecimal digits.
	ID string `json:"id"`
	// Name is the operator chain's name.
	Name string `json:"name"`
	// SlotSharingGroup is the group's ID; empty before Flink 1.18.
	SlotSharingGroup string `json:"slotSharingGroupId"`
	// Parallelism is the number of subtasks.
	Parallelism int `json:"parallelism"`
	// MaxParallelism is the upper bound of Parallelism.
	MaxParallelism int `json:"maxParallelism"`
	// Status is Flink's aggregated ExecutionState, such as RUNNING or FINISHED.
	Status string `json:"status"`
	// Tasks counts the subtasks by ExecutionState.
	Tasks map[string]int `json:"tasks"`
	// Metrics are the input and output counters.
	Metrics VertexIO `json:"metrics"`
}

// VertexIO are the counters of a vertex over all subtasks. What a version does not have is NaN.
type VertexIO struct {
	// ReadRecords is the number of records read.
	ReadRecords Number `json:"read-records"`
	// WriteRecords is the number of records written.
	WriteRecords Number `json:"write-records"`
	// BusyTime is in milliseconds over all subtasks; NaN before Flink 1.16 and for legacy sources.
	BusyTime Number `json:"accumulated-busy-time"`
}

// UnmarshalJSON makes absent counters NaN.
func (v *VertexIO) UnmarshalJSON(text []byte) error {
	type plain VertexIO
	out := plain{ReadRecords: nan, WriteRecords: nan, BusyTime: nan}
	if err := unmarshalInto(text, &out); err != nil {
		return err
	}
	*v = VertexIO(out)
	return nil
}

// Plan is the JSON plan of a job.
type Plan struct {
	// Nodes are the vertices; empty while the job is set up.
	Nodes []PlanNode `json:"nodes"`
}

// PlanNode is one vertex of the plan.
type PlanNode struct {
	// ID is the vertex ID.
	ID string `json:"id"`
	// Parallelism is the number of subtasks.
	Parallelism int `json:"parallelism"`
	// Inputs are the edges into the vertex; a source has none.
	Inputs []PlanInput `json:"inputs"`
}

// PlanInput is one edge of the plan.
type PlanInput struct {
	// ID is the vertex ID the edge comes from.
	ID string `json:"id"`
	// ShipStrategy is how records are distributed, such as HASH or FORWARD.
	ShipStrategy string `json:"ship_strategy"`
}

// JobConfig is GET /jobs/:jobid/config.
type JobConfig struct {
	// ID is the job ID, the one asked for.
	ID string `json:"jid"`
	// Name is the job's name.
	Name string `json:"name"`
	// Execution is the execution configuration; nil when Flink has none (a job that failed while it was set up).
	Execution *ExecutionConfig `json:"execution-config"`

	asked string
}

func (j *JobConfig) Check() error { return sameJob(j.asked, j.ID) }

// ExecutionConfig is the part of a job's configuration that Flink shows.
type ExecutionConfig struct {
	// RestartStrategy is a text for people.
	RestartStrategy string `json:"restart-strategy"`
	// Parallelism is parallelism.default of the job; -1: not set.
	Parallelism int `json:"job-parallelism"`
	// ObjectReuse is pipeline.object-reuse.
	ObjectReuse bool `json:"object-reuse-mode"`
	// UserConfig are the global job parameters.
	UserConfig map[string]string `json:"user-config"`
}

// Jobs reads GET /jobs/overview: all jobs the JobManager runs or remembers, in Flink's order. An empty list is Flink's
// word for "none now": an application whose main has not come to its submit yet has an empty list too.
func (c *Client) Jobs(ctx context.Context) ([]JobSummary, error) {
	var out jobList
	err := c.conn.Do(
		ctx, wire.Call{Op: "list jobs", Method: http.MethodGet, Path: []string{"jobs", "overview"}, Out: &out},
	)
	if err != nil {
		return nil, err
	}
	return *out.Jobs, nil
}

// Job reads GET /jobs/:jobid, from a cache that may be as old as web.refresh-interval (3 s). ErrNotFound: this
// JobManager does not know the job; it may never have been submitted, or have ended longer ago than
// jobstore.expiration-time, or in an earlier JobManager process.
func (c *Client) Job(ctx context.Context, jobID string) (Job, error) {
	out := Job{asked: jobID}
	err := c.conn.Do(ctx, wire.Call{Op: "read job", Method: http.MethodGet, Path: []string{"jobs", jobID}, Out: &out})
	return out, err
}

// JobConfig reads GET /jobs/:jobid/config.
func (c *Client) JobConfig(ctx context.Context, jobID string) (JobConfig, error) {
	out := JobConfig{asked: jobID}
	err := c.conn.Do(
		ctx, wire.Call{Op: "read job config", Method: http.MethodGet, Path: []string{"jobs", jobID, "config"}, Out: &out},
	)
	return out, err
}

// Cancel asks Flink to cancel the job (PATCH /jobs/:jobid?mode=cancel); it does not wait for the end. A job that is
// being cancelled or is CANCELED already is a success. ErrTerminal: it has ended otherwise. ErrNotFound: as Job.
func (c *Client) Cancel(ctx context.Context, jobID string) error {
	return c.conn.Do(ctx, wire.Call{
		Op: "cancel job", Method: http.MethodPatch, Path: []string{"jobs", jobID}, Query: url.Values{"mode": {"cancel"}},
	})
}
