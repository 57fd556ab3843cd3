package flinkrest

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/javatrace"
	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

// JobExceptions is the exception history of a job (GET /jobs/:jobid/exceptions).
type JobExceptions struct {
	// Entries are the root causes, newest first.
	Entries []JobException
	// Truncated tells that older ones were left out.
	Truncated bool
}

// JobException is one failure of a job.
type JobException struct {
	// Name is the Java class of the exception.
	Name string `json:"exceptionName"`
	// StackTrace is the whole trace, many lines; see package javatrace.
	StackTrace string `json:"stacktrace"`
	// Timestamp is when it happened.
	Timestamp Millis `json:"timestamp"`
	// TaskName is the subtask that failed; empty for a failure of the whole job.
	TaskName string `json:"taskName"`
	// Endpoint is the TaskManager's host and port; empty for a failure of the whole job. Up to Flink 1.17 it is what
	// Flink called location.
	Endpoint string `json:"endpoint"`
	// TaskManagerID is the TaskManager's resource ID; empty before Flink 1.17 and for a failure of the whole job.
	TaskManagerID string `json:"taskManagerId"`
	// FailureLabels are what the failure enrichers said (Flink 1.18 and later).
	FailureLabels map[string]string `json:"failureLabels"`
	// Concurrent are the failures that came with this one.
	Concurrent []JobException `json:"concurrentExceptions"`
}

// UnmarshalJSON reads the location of older versions as the endpoint.
func (e *JobException) UnmarshalJSON(text []byte) error {
	type plain JobException
	out := struct {
		*plain
		Location string `json:"location"`
	}{plain: (*plain)(e)}
	if err := unmarshalInto(text, &out); err != nil {
		return err
	}
	if e.Endpoint == "" {
		e.Endpoint = out.Location
	}
	return nil
}

type exceptionAnswer struct {
	History *struct {
		Entries   []JobException `json:"entries"`
		Truncated bool           `json:"truncated"`
	} `json:"exceptionHistory"`
}

func (a *exceptionAnswer) Check() error { return present("exceptionHistory", a.History) }

// maxExceptions bounds the failures of a job, in bytes: stack traces, some 20 times each in the causes of each other.
const maxExceptions = 16 << 20

// JobExceptions reads at most the newest limit failures of the job; 0 leaves the number to Flink
// (web.exception-history-size, 16). ErrNotFound: as Job.
func (c *Client) JobExceptions(ctx context.Context, jobID string, limit int) (JobExceptions, error) {
	query := url.Values{}
	if limit > 0 {
		query.Set("maxExceptions", strconv.Itoa(limit))
	}
	var out exceptionAnswer
	err := c.conn.Do(ctx, wire.Call{
		Op: "read job exceptions", Method: http.MethodGet, Path: []string{"jobs", jobID, "exceptions"}, Query: query,
		Out: &out, MaxBody: maxExceptions,
	})
	if err != nil {
		return JobExceptions{}, err
	}
	entries, truncated := out.History.Entries, out.History.Truncated
	if limit > 0 && len(entries) > limit {
		entries, truncated = entries[:limit], true
	}
	for i := range entries {
		entries[i].FailureLabels = fewLabels(entries[i].FailureLabels)
	}
	return JobExceptions{Entries: entries, Truncated: truncated}, nil
}

// mostLabels is how many labels of a failure are read: enrichers of Flink give a handful.
const mostLabels = 32

// fewLabels are the first of them by name.
func fewLabels(labels map[string]string) map[string]string {
	if len(labels) <= mostLabels {
		return labels
	}
	few := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(labels))[:mostLabels] {
		few[name] = labels[name]
	}
	return few
}

// Failure is a Java exception that Flink reports as the result of something.
type Failure struct {
	// Class is the outermost Java class.
	Class string `json:"class"`
	// StackTrace is the whole trace, many lines; see package javatrace.
	StackTrace string `json:"stack-trace"`
}

// Summary is the chain of causes on one line of at most 2 KiB.
func (f *Failure) Summary() string {
	if f == nil {
		return ""
	}
	if text := javatrace.Summary(f.StackTrace); text != "" {
		return text
	}
	return javatrace.Clip(f.Class)
}

// ExecutionResult is how a job ended (GET /jobs/:jobid/execution-result).
type ExecutionResult struct {
	// Done is false while the job has not ended; the other fields are then empty.
	Done bool
	// Status is SUCCEEDED, FAILED, CANCELED or UNKNOWN (Flink's ApplicationStatus).
	Status string
	// NetRuntime is in milliseconds.
	NetRuntime int64
	// Failure is the cause of FAILED, and often of CANCELED; nil if there is none.
	Failure *Failure
}

type resultAnswer struct {
	Status struct {
		ID queueStatus `json:"id"`
	} `json:"status"`
	Result *struct {
		Status     string   `json:"application-status"`
		NetRuntime int64    `json:"net-runtime"`
		Failure    *Failure `json:"failure-cause"`
	} `json:"job-execution-result"`
}

func (a *resultAnswer) Check() error {
	if a.Status.ID == queueCompleted {
		return present("job-execution-result", a.Result)
	}
	return a.Status.ID.Check()
}

// ExecutionResult reads how the job ended. ErrNotFound: as Job.
func (c *Client) ExecutionResult(ctx context.Context, jobID string) (ExecutionResult, error) {
	var out resultAnswer
	err := c.conn.Do(ctx, wire.Call{
		Op: "read job result", Method: http.MethodGet, Path: []string{"jobs", jobID, "execution-result"}, Out: &out,
	})
	if err != nil || out.Status.ID != queueCompleted {
		return ExecutionResult{}, err
	}
	result := ExecutionResult{
		Done: true, Status: out.Result.Status, NetRuntime: out.Result.NetRuntime, Failure: out.Result.Failure,
	}
	return result, nil
}
