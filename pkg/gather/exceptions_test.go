package gather

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
)

// historyAnswers is a JobManager with this answer, and what it was asked.
func historyAnswers(t *testing.T, code int, body string) (*flinkrest.Client, *[]string) {
	t.Helper()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI())
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	client, err := flinkrest.New(flinkrest.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return client, &asked
}

// A job that could not be initialized has no history yet when it is found to have failed, and no JobManager soon after.
func TestTheResultTellsWhatTheHistoryDoesNot(t *testing.T) {
	const none = `{"exceptionHistory":{"entries":[],"truncated":false}}`
	rows := map[string]struct {
		code   int
		result string
		want   string // Present: the text; Absent: -; Unknown: ?
	}{
		"it failed": {200, `{"status":{"id":"COMPLETED"},"job-execution-result":{"id":"x","application-status":"FAILED",
			"net-runtime":1,
"failure-cause":{"class":"E","stack-trace":"java.io.IOException: no scheme nosuch\n\tat a.B.c(B.java:1)\n"}}}`,
			"IOException: no scheme nosuch"},
		"it is in progress":  {200, `{"status":{"id":"IN_PROGRESS"}}`, "-"},
		"Flink does not say": {500, `{"errors":["x"]}`, "?"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/exceptions") {
					_, _ = io.WriteString(w, none)
					return
				}
				w.WriteHeader(row.code)
				_, _ = io.WriteString(w, row.result)
			}))
			defer server.Close()
			client, err := flinkrest.New(flinkrest.Options{BaseURL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			s := cluster.Snapshot{Seen: world.Seen{Resource: &v1beta1.FlinkDeployment{}}}
			s.Resource.Status.JobStatus.JobID = strings.Repeat("0", 32)
			(&Gatherer{}).history(t.Context(), client, &s.Seen, ask.More{Failure: true})
			got, known := s.Flink.Failure.Get()
			if !known {
				got = map[bool]string{true: "-", false: "?"}[s.Flink.Failure.IsAbsent()]
			}
			if got != row.want {
				t.Errorf("the cause is %q (%s), want %q", got, s.Flink.Failure.Why(), row.want)
			}
			if known != (s.Flink.FailureTrace != "") {
				t.Errorf("the cause is %q and its trace %q", got, s.Flink.FailureTrace)
			}
		})
	}
}

func TestTheHistoryIsAskedForOnce(t *testing.T) {
	const entry = `{"exceptionName":"x",
		"stacktrace":"java.io.IOException: disk full\n\tat a.B.c(B.java:1)\n","timestamp":1700000000123,
"taskName":"map (1/2)","endpoint":"10.0.0.7:6122","taskManagerId":"tm-1","failureLabels":{"type":"USER"},"concurrentExceptions":[]}`
	full := fmt.Sprintf(`{"exceptionHistory":{"entries":[%s],"truncated":false}}`, entry)
	rows := map[string]struct {
		more    ask.More
		code    int
		body    string
		limit   string
		failure string // Present: the text; Absent: -; Unknown: ?
		entries int    // -1: Unknown
		reason  string
	}{
		"the cause alone": {
			ask.More{Failure: true}, 200, full, "1", "IOException: disk full", -1, "of a job that was told already",
		},
		"the entries alone": {ask.More{Exceptions: 10}, 200, full, "10", "?", 1, "of a job that goes on"},
		"both": {
			ask.More{Failure: true, Exceptions: 10}, 200, full, "10", "IOException: disk full", 1, "one request",
		},
		"none happened": {
			ask.More{Exceptions: 10}, 200, `{"exceptionHistory":{"entries":[],"truncated":false}}`, "10", "?", 0, "",
		},
		"Flink does not say": {
			ask.More{Failure: true, Exceptions: 10}, 500, `{"errors":["x"]}`, "10", "?", -1, "not known is not none",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			client, asked := historyAnswers(t, row.code, row.body)
			s := cluster.Snapshot{Seen: world.Seen{Resource: &v1beta1.FlinkDeployment{}}}
			s.Resource.Status.JobStatus.JobID = strings.Repeat("0", 32)
			(&Gatherer{}).history(t.Context(), client, &s.Seen, row.more)
			failure := "?"
			if text, ok := s.Flink.Failure.Get(); ok {
				failure = text
			} else if s.Flink.Failure.IsAbsent() {
				failure = "-"
			}
			list, known := s.Flink.Exceptions.Get()
			entries := len(list)
			if !known {
				entries = -1
			}
			if failure != row.failure || entries != row.entries || len(*asked) != 1 ||
				!strings.HasSuffix((*asked)[0], "/exceptions?maxExceptions="+row.limit) {
				t.Errorf("failure %q, entries %d, asked %q: %s", failure, entries, *asked, row.reason)
			}
			if entries == 1 {
				want := exceptions.Entry{At: time.UnixMilli(1_700_000_000_123),
					StackTrace: "java.io.IOException: disk full\n\tat a.B.c(B.java:1)\n",
					TaskName:   "map (1/2)", Endpoint: "10.0.0.7:6122", TaskManagerID: "tm-1",
					Labels: map[string]string{"type": "USER"}}
				if diff := cmp.Diff(want, list[0]); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}
