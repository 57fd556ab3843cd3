package scenario

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// A fault of the product that is planted: what it sends to Flink is changed.

// sent sends a request.
type sent = func(*http.Request) (*http.Response, error)

// runRequest is what a run of a jar says.
type runRequest = map[string]any

// runsOtherwise is a product that runs jars with something else than it should.
func runsOtherwise(change func(run runRequest)) func(*sessionRun) {
	return func(r *sessionRun) {
		r.sends = func(q *http.Request, send sent) (*http.Response, error) {
			if strings.HasSuffix(q.URL.Path, "/run") {
				rewrite(r.t, q, change)
			}
			return send(q)
		}
	}
}

// rewrite changes the body of a run.
func rewrite(t testing.TB, q *http.Request, change func(run runRequest)) {
	t.Helper()
	text, err := io.ReadAll(q.Body)
	if err != nil {
		t.Error(err)
	}
	run := runRequest{}
	if err := json.Unmarshal(text, &run); err != nil {
		t.Error(err)
	}
	change(run)
	if text, err = json.Marshal(run); err != nil {
		t.Error(err)
	}
	q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	q.GetBody = nil
}

// startsHostedFrom is a product that starts each session job but the first from this path instead; empty: from nothing.
func startsHostedFrom(path string, progress int64) func(*sessionRun) {
	return func(r *sessionRun) {
		r.w.Storage.Put(job.Snapshot{Path: path, Savepoint: true, Progress: progress})
		runsOtherwise(func(run runRequest) {
			if run["savepointPath"] != nil {
				run["savepointPath"] = path
			}
		})(r)
	}
}

// cancels is a product that does something else where it should cancel etl: with the request, or beside it.
func cancels(instead func(r *sessionRun, q *http.Request)) func(*sessionRun) {
	return func(r *sessionRun) {
		r.sends = func(q *http.Request, send sent) (*http.Response, error) {
			if one, other := r.job(etl), r.job(etl2); q.Method == http.MethodPatch && one != nil && other != nil &&
				strings.HasSuffix(q.URL.Path, "/jobs/"+one.ID) {
				instead(r, q)
			}
			return send(q)
		}
	}
}

// submitsAgain is a product that runs a jar again under another ID when nobody answered.
func submitsAgain(r *sessionRun) {
	const another = "0123456789abcdef0123456789abcdef"
	r.sends = func(q *http.Request, send sent) (*http.Response, error) {
		if !strings.HasSuffix(q.URL.Path, "/run") {
			return send(q)
		}
		text, err := io.ReadAll(q.Body)
		if err != nil {
			r.t.Error(err)
		}
		again := q.Clone(q.Context())
		q.Body, again.Body = io.NopCloser(bytes.NewReader(text)), io.NopCloser(bytes.NewReader(text))
		answer, err := send(q)
		if err != nil {
			rewrite(r.t, again, func(run runRequest) { run["jobId"] = another })
			return send(again)
		}
		return answer, nil
	}
}

// The judge of random runs of session jobs finds what it is there for, as TestTheJudgeFindsPlantedFaults holds of that
// of applications.
func TestTheSessionJudgeFindsPlantedFaults(t *testing.T) {
	const older, less = "s3://s/savepoint-older", "began with less than it had"
	rows := map[string]struct {
		script string
		fault  func(*sessionRun)
		want   string
	}{
		"a change of a job cancels the other": {
			"apply 0, etl2-apply 0, wait-long 0, parallelism 3, wait-more 10",
			cancels(func(r *sessionRun, q *http.Request) {
				q.URL.Path = strings.Replace(q.URL.Path, r.job(etl).ID, r.job(etl2).ID, 1)
			}), "nobody's status says that this job is stopped",
		},
		"a change of a job has the other begin again": {
			"apply 0, etl2-apply 0, etl2-switch 7, wait-long 0, parallelism 3, wait-long 0, wait-long 0",
			cancels(func(r *sessionRun, _ *http.Request) {
				r.flink(etl2, func(j *job.Job) { j.Fail("X", "no such topic", r.w.Clock.Now()) })
			}), "began again, and nobody asked for that",
		},
		"a change starts from nothing": {
			"apply 2, wait-long 0, parallelism 3, wait-more 10", startsHostedFrom("", 0), less,
		},
		"a change starts from an older savepoint": {
			"apply 2, wait-long 0, parallelism 3, wait-more 10", startsHostedFrom(older, 1), less,
		},
		"a change by last-state starts from an older state": {
			"apply 4, wait-long 0, parallelism 3, wait-more 10", startsHostedFrom(older, 1), less,
		},
		"a resumption starts from an older state": {
			"apply 5, wait-long 0, suspend 0, wait-more 10, resume 0, wait-more 10", startsHostedFrom(older, 1), less,
		},
		"what a job goes back to is disposed of": {
			"apply 2, wait-long 0, redeploy 12, wait-more 10",
			func(r *sessionRun) {
				r.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Do: func() {
					if runs := r.job(etl); runs != nil && runs.State == job.Running && runs.ReturnsTo() != nil {
						r.w.Storage.Dispose(runs.ReturnsTo().Path)
					}
				}})
			}, "was disposed of",
		},
		"the other job starts from an older state": {
			"apply 2, etl2-apply 2, wait-long 0, etl2-parallelism 3, wait-more 10", startsHostedFrom(older, 1), less,
		},
		"a redeployment starts from another state than a person chose": {
			"apply 2, wait-long 0, redeploy 12, wait-more 10", startsHostedFrom("s3://s/savepoint-newer", 1000),
			"the job never began from there",
		},
		"a run that nobody answered is submitted again under another ID": {
			"apply 0, runs-time-out 0, wait-long 0", submitsAgain, "two live jobs of",
		},
		"a job runs with another parallelism than is recorded": {
			"apply 0, wait-long 0", runsOtherwise(func(run runRequest) { run["parallelism"] = 7 }),
			"what runs has parallelism 7",
		},
	}
	for _, name := range names(rows) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := strings.Split(rows[name].script, ", ")
			if failure := attemptSession(t, script); failure != "" {
				t.Errorf("without the fault: %s", failure)
			}
			if failure := attemptSessionWith(t, script, rows[name].fault); !strings.Contains(failure, rows[name].want) {
				t.Errorf("with the fault: %q, want %q", failure, rows[name].want)
			}
		})
	}
}
