package flinkrest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExceptionsNameTaskAndCause(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "job-exceptions")
		got, err := c.JobExceptions(background, job(3), 0)
		wantKind(t, err, nil)
		if len(got.Entries) != 2 || got.Truncated {
			t.Fatalf("one restart and the end: two entries, got %d", len(got.Entries))
		}
		newest := got.Entries[0]
		if newest.Timestamp < got.Entries[1].Timestamp {
			t.Error("the newest comes first")
		}
		if !strings.Contains(newest.StackTrace, "Caused by: java.lang.RuntimeException: the root of it") {
			t.Errorf("the trace is whole: %s", newest.StackTrace)
		}
		task := got.Entries[1]
		if task.Name != "java.lang.IllegalStateException" || !strings.Contains(task.TaskName, "Map") ||
			task.TaskManagerID != "taskmanager-1" || !strings.Contains(task.Endpoint, ":") {
			t.Errorf("the first failure is the task's: %+v", task)
		}
	})
}

func TestExceptionsLimit(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "job-exceptions-limited")
		got, err := c.JobExceptions(background, job(3), 1)
		wantKind(t, err, nil)
		if len(got.Entries) != 1 || !got.Truncated {
			t.Errorf("got %d entries, truncated %t", len(got.Entries), got.Truncated)
		}
	})
}

func TestNoExceptions(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "job-exceptions-none")
		got, err := c.JobExceptions(background, job(1), 0)
		wantKind(t, err, nil)
		if len(got.Entries) != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

// TestOldLocationIsTheEndpoint: up to 1.17 there is location and no endpoint; concurrent ones have it too.
func TestOldLocationIsTheEndpoint(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"exceptionHistory":{"entries":[{"exceptionName":"E","stacktrace":"E","timestamp":5,
			"taskName":"t",
			"location":"host:1","concurrentExceptions":[{"exceptionName":"F","location":"host:2"}]}],"truncated":false}}`))
	})
	got, err := c.JobExceptions(background, job(1), 0)
	wantKind(t, err, nil)
	want := []JobException{{Name: "E", StackTrace: "E", Timestamp: 5, TaskName: "t", Endpoint: "host:1",
		Concurrent: []JobException{{Name: "F", Endpoint: "host:2"}}}}
	if diff := cmp.Diff(want, got.Entries); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExecutionResult(t *testing.T) {
	rows := map[string]struct {
		file    string
		job     int
		done    bool
		status  string
		summary string
		reason  string
	}{
		"running":  {"execution-result-running", 1, false, "", "", "there is none yet"},
		"finished": {"execution-result-finished", 1, true, "SUCCEEDED", "", "a stop is a success"},
		"canceled": {"execution-result-canceled", 2, true, "CANCELED", "", "without a cause"},
		"failed": {"execution-result-failed", 3, true, "FAILED",
			"JobException: Recovery is suppressed by " +
				"FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts=1, backoffTimeMS=200) <- " +
				"IllegalStateException: record was told to fail <- RuntimeException: the root of it", "the chain to the root"},
		"never set up": {"execution-result-savepoint-missing", 6, true, "FAILED",
			"JobInitializationException: Could not start the JobMaster. <- FileNotFoundException: Cannot find " +
				"checkpoint or " +
				"savepoint file/directory 'file:///no/such/savepoint' on file system 'file'.", "the wrappers say nothing"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				c, _ := play(t, version, row.file)
				got, err := c.ExecutionResult(background, job(row.job))
				wantKind(t, err, nil)
				if got.Done != row.done || got.Status != row.status {
					t.Errorf("%s: got %+v", row.reason, got)
				}
				if diff := cmp.Diff(row.summary, got.Failure.Summary()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", row.reason, diff)
				}
			})
		})
	}
}

// A JobManager is the tenant's: each failure that is read costs the pass the search for secrets in it.
func TestMoreExceptionsThanWereAskedForAreNotRead(t *testing.T) {
	labels := map[string]string{}
	for i := range 200 {
		labels[fmt.Sprintf("label-%04d", i)] = "x"
	}
	text, err := json.Marshal(labels)
	if err != nil {
		t.Fatal(err)
	}
	entry := fmt.Sprintf(`{"exceptionName":"E","stacktrace":"E","timestamp":5,"failureLabels":%s}`, text)
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"exceptionHistory":{"entries":[%s],"truncated":false}}`,
			strings.TrimSuffix(strings.Repeat(entry+",", 20), ","))
	})
	got, err := c.JobExceptions(background, job(1), 3)
	wantKind(t, err, nil)
	if len(got.Entries) != 3 || !got.Truncated {
		t.Errorf("%d entries, truncated %t; want the 3 that were asked for", len(got.Entries), got.Truncated)
	}
	if n := len(got.Entries[0].FailureLabels); n != mostLabels {
		t.Errorf("%d labels of a failure, want %d", n, mostLabels)
	}
}
