package life

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/watch"
)

// Limit is the time for a job's start on a small machine: two JVMs, a few classes, a first checkpoint.
const Limit = 4 * time.Minute

// Flink asks the JobManager of one cluster, and reads its answer to a GET into out.
type Flink func(ctx context.Context, path string, out any) error

// At asks the REST API below a URL.
func At(client *http.Client, base string) Flink {
	return func(ctx context.Context, path string, out any) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, 32<<20))
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s: %.200s", path, response.Status, body)
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(body, out)
	}
}

// Counted is what the example job says of itself: see StateMachineExample.
type Counted struct {
	// Highest is the highest number counted.
	Highest float64
	// Restored is what Highest was in the state that the job was last started or restarted with; 0: it began empty.
	Restored float64
	// Wrong is how often, since its state began, another number came than the one its state expected.
	Wrong float64
}

// detail is what Flink says of a job.
type detail struct {
	Now      int64 `json:"now"` // of the JobManager's clock, ms
	Vertices []struct {
		ID string `json:"id"`
	} `json:"vertices"`
}

// counts asks the job for its counters.
func (f Flink) counts(ctx context.Context, jobID string) (Counted, error) {
	var job detail
	if err := f(ctx, "/jobs/"+jobID, &job); err != nil {
		return Counted{}, err
	}
	for _, vertex := range job.Vertices {
		var offered, values []struct {
			ID            string
			Min, Max, Sum float64
		}
		path := "/jobs/" + jobID + "/vertices/" + vertex.ID + "/subtasks/metrics"
		if err := f(ctx, path, &offered); err != nil {
			return Counted{}, err
		}
		var ids []string
		for _, metric := range offered {
			switch metric.ID[strings.LastIndex(metric.ID, ".")+1:] {
			case "highest", "restored", "wrong":
				ids = append(ids, metric.ID)
			}
		}
		if len(ids) < 3 {
			continue
		}
		if err := f(ctx, path+"?get="+url.QueryEscape(strings.Join(ids, ",")), &values); err != nil {
			return Counted{}, err
		}
		var is Counted
		for _, v := range values {
			switch v.ID[strings.LastIndex(v.ID, ".")+1:] {
			case "highest":
				is.Highest = v.Max
			case "restored":
				is.Restored = v.Min // every subtask was given the same
			case "wrong":
				is.Wrong = v.Sum
			}
		}
		return is, nil
	}
	return Counted{}, fmt.Errorf("job %s does not offer its counters yet", jobID)
}

// Kept reads the counters, and returns when a checkpoint that was begun after that is complete: what they say cannot be
// lost any more.
func (f Flink) Kept(t *testing.T, jobID string) (is Counted) {
	t.Helper()
	var after detail
	watch.Poll(t, time.Minute, "the job tells its counters", func(ctx context.Context) (bool, error) {
		var err error
		if is, err = f.counts(ctx, jobID); err == nil {
			err = f(ctx, "/jobs/"+jobID, &after)
		}
		if err == nil && is.Highest == 0 { // a job that begins empty would go on from that, too
			err = errors.New("it has counted nothing")
		}
		return err == nil, err
	})
	what := fmt.Sprintf("a checkpoint that was begun after the job had counted %.0f", is.Highest)
	watch.Poll(t, time.Minute, what, func(ctx context.Context) (bool, error) {
		var answer struct {
			Latest struct {
				Completed *struct {
					Begun int64 `json:"trigger_timestamp"`
				} `json:"completed"`
			} `json:"latest"`
		}
		err := f(ctx, "/jobs/"+jobID+"/checkpoints", &answer)
		return err == nil && answer.Latest.Completed != nil && answer.Latest.Completed.Begun > after.Now, err
	})
	return is
}

// GoesOn waits until the job says that it was restored with all that was kept, and has counted on from there. A number
// that was lost or came twice since its state began is a failure.
func (f Flink) GoesOn(t *testing.T, jobID string, kept Counted) {
	t.Helper()
	var is Counted
	watch.Poll(t, 90*time.Second, fmt.Sprintf("the job goes on from %.0f or more", kept.Highest),
		func(ctx context.Context) (bool, error) {
			var err error
			if is, err = f.counts(ctx, jobID); err != nil {
				return false, err
			}
			return is.Restored >= kept.Highest && is.Highest > is.Restored, fmt.Errorf("its counters are %+v", is)
		})
	t.Logf("kept %.0f, restored %.0f, now %.0f", kept.Highest, is.Restored, is.Highest)
	if is.Wrong != 0 {
		t.Errorf("%.0f numbers were lost or counted twice: its state and its position are not of the same moment", is.Wrong)
	}
}

// Restored says from where a job started: the path of a savepoint or checkpoint, and which of both it is.
func (f Flink) Restored(t *testing.T, jobID string) (path string, savepoint bool) {
	t.Helper()
	var answer struct {
		Latest struct {
			Restored *struct {
				Path      string `json:"external_path"`
				Savepoint bool   `json:"is_savepoint"`
			} `json:"restored"`
		} `json:"latest"`
	}
	watch.Poll(t, time.Minute, "its checkpoints tell what job "+jobID+" started from",
		func(ctx context.Context) (bool, error) {
			if err := f(ctx, "/jobs/"+jobID+"/checkpoints", &answer); err != nil {
				return false, err
			}
			return answer.Latest.Restored != nil, fmt.Errorf("it was not restored from anything")
		})
	return answer.Latest.Restored.Path, answer.Latest.Restored.Savepoint
}

// overview is one line of Flink's list of jobs. Times are of the JobManager's clock, in ms.
type overview struct {
	ID    string         `json:"jid"`
	State string         `json:"state"`
	Tasks map[string]int `json:"tasks"`
	Start int64          `json:"start-time"`
	Moved int64          `json:"last-modification"` // when its or a task's state changed last
	End   int64          `json:"end-time"`
}

// Starting is how long Flink took from the begin of a job until all of its tasks ran.
func (f Flink) Starting(t *testing.T, jobID string) (took time.Duration) {
	t.Helper()
	watch.Poll(t, time.Minute, "all tasks of job "+jobID+" run", func(ctx context.Context) (bool, error) {
		jobs, err := f.jobs(ctx)
		for _, job := range jobs {
			if job.ID == jobID && job.allRun() {
				took = time.Duration(job.Moved-job.Start) * time.Millisecond
				return true, nil
			}
		}
		return false, err
	})
	return took
}

func (f Flink) jobs(ctx context.Context) ([]overview, error) {
	var answer struct {
		Jobs []overview `json:"jobs"`
	}
	err := f(ctx, "/jobs/overview", &answer)
	return answer.Jobs, err
}

// allRun reports whether every task of the job runs.
func (o overview) allRun() bool {
	return o.State == "RUNNING" && o.Tasks["total"] > 0 && o.Tasks["running"] == o.Tasks["total"]
}

// WhenTasksRun tells when every task of the one job of a cluster was first seen to run; it looks five times a second.
// It is closed without a time when the context or the time for a start ends.
func (f Flink) WhenTasksRun(ctx context.Context) <-chan time.Time {
	told := make(chan time.Time, 1)
	go func() {
		defer close(told)
		ctx, cancel := context.WithTimeout(ctx, Limit)
		defer cancel()
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			jobs, err := f.jobs(ctx)
			if err == nil && len(jobs) == 1 && jobs[0].allRun() {
				told <- time.Now()
				return
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	return told
}

// TasksRunning waits until every task of the one job of a cluster runs, other than the job not, and says when that was.
func (f Flink) TasksRunning(t *testing.T, not string) (jobID string, at time.Time) {
	t.Helper()
	at = watch.Poll(t, Limit, "all tasks run", func(ctx context.Context) (bool, error) {
		jobs, err := f.jobs(ctx)
		if err != nil {
			return false, err
		}
		for _, job := range jobs {
			jobID = job.ID
			if job.allRun() && job.ID != not {
				return true, nil
			}
		}
		return false, fmt.Errorf("jobs: %+v", jobs)
	})
	return jobID, at
}

// Failed waits until Flink says that the one job of a cluster has failed for good, and says when that was.
func (f Flink) Failed(t *testing.T) (at time.Time) {
	t.Helper()
	watch.Poll(t, Limit, "the job fails", func(ctx context.Context) (bool, error) {
		jobs, err := f.jobs(ctx)
		if err != nil {
			return false, err
		}
		if len(jobs) != 1 || jobs[0].State != "FAILED" {
			return false, fmt.Errorf("jobs: %+v", jobs)
		}
		at = time.UnixMilli(jobs[0].End)
		return true, nil
	})
	return at
}
