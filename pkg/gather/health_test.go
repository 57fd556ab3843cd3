package gather

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
)

// flinkAnswers is a JobManager that answers the metrics and the checkpoints of a job with these bodies; an empty one is
// a 404 of a job that makes no checkpoints.
func flinkAnswers(t *testing.T, metrics, checkpoints string) *flinkrest.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := checkpoints
		if strings.HasSuffix(r.URL.Path, "/metrics") {
			body = metrics
		}
		if body == "" {
			w.WriteHeader(http.StatusNotFound)
			body = `{"errors":["org.apache.flink.runtime.rest.NotFoundException: Checkpointing has not been enabled."]}`
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	connect, err := NewConnect(Way{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := connect(plan.Endpoint{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestHealth(t *testing.T) {
	const begun = 1_700_000_000_000
	const checkpoint = `{"id":7,"status":"COMPLETED","trigger_timestamp":1700000060000,"latest_ack_timestamp":%d}`
	statistics := func(completed, savepoint string) string {
		return fmt.Sprintf(
			`{"counts":{"completed":7},"latest":{"completed":%s,"savepoint":%s},"history":[]}`, completed, savepoint,
		)
	}
	at := func(millis int64) time.Time { return time.UnixMilli(millis) }
	rows := map[string]struct {
		metrics, checkpoints string
		progress             bool
		want                 deployment.Health
		unknown              string
		reason               string
	}{
		"restarts alone": {
			`[{"id":"numRestarts","value":"3"},{"id":"fullRestarts","value":"9"}]`, "", false, deployment.Health{Restarts: 3},
			"",
			"the newer metric wins",
		},
		"the older metric": {
			`[{"id":"fullRestarts","value":"9"}]`, "", false, deployment.Health{Restarts: 9}, "",
			"older Flink versions have no other",
		},
		"no metric yet": {`[]`, "", false, deployment.Health{}, "no metric", "a new JobManager has collected none"},
		"no number": {
			`[{"id":"numRestarts","value":"NaN"}]`, "", false, deployment.Health{}, "no metric",
			"nothing is concluded from it",
		},
		"no checkpoint yet": {`[{"id":"numRestarts","value":"0"}]`, statistics("null", "null"), true,
			deployment.Health{Checkpoints: 7, Progress: at(begun)}, "",
			"it counts from the job's begin"},
		"a checkpoint": {`[{"id":"numRestarts","value":"0"}]`,
			statistics(fmt.Sprintf(checkpoint, 1_700_000_065_000), "null"), true,
			deployment.Health{Checkpoints: 7, Progress: at(1_700_000_065_000)}, "", "when it was completed"},
		"a savepoint after it": {`[{"id":"numRestarts","value":"0"}]`,
			statistics(fmt.Sprintf(checkpoint, 1_700_000_065_000), fmt.Sprintf(checkpoint, 1_700_000_070_000)), true,
			deployment.Health{Checkpoints: 7, Progress: at(1_700_000_070_000)}, "", "it stores the state as well"},
		"checkpoints of before a fail-over": {`[{"id":"numRestarts","value":"0"}]`,
			statistics(fmt.Sprintf(checkpoint, 1_600_000_000_000), "null"), true,
			deployment.Health{Checkpoints: 7, Progress: at(begun)}, "", "this process began later"},
		"a job that makes none": {
			`[{"id":"numRestarts","value":"0"}]`, "", true, deployment.Health{}, "", "it cannot fail to complete them",
		},
		"an answer of something": {
			`[{"id":"numRestarts","value":"0"}]`, `{}`, true, deployment.Health{}, "counts", "nobody knows",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			job := deployment.Job{ID: strings.Repeat("0", 32), StartTime: fmt.Sprint(int64(begun))}
			seen := (&Gatherer{}).health(t.Context(), flinkAnswers(t, row.metrics, row.checkpoints), job, row.progress)
			got, ok := seen.Get()
			if ok != (row.unknown == "") || !strings.Contains(seen.Why(), row.unknown) {
				t.Fatalf("got %+v, unknown because %q, want unknown because %q: %s", got, seen.Why(), row.unknown, row.reason)
			}
			if got.Restarts != row.want.Restarts || got.Checkpoints != row.want.Checkpoints ||
				!got.Progress.Equal(row.want.Progress) {
				t.Errorf("got %+v, want %+v: %s", got, row.want, row.reason)
			}
		})
	}
}
