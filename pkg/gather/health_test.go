package gather

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
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
		want                 health.Seen
		unknown              string
		reason               string
	}{
		"restarts alone": {
			`[{"id":"numRestarts","value":"3"},{"id":"fullRestarts","value":"9"}]`, "", false, health.Seen{Restarts: 3},
			"",
			"the newer metric wins",
		},
		"the older metric": {
			`[{"id":"fullRestarts","value":"9"}]`, "", false, health.Seen{Restarts: 9}, "",
			"older Flink versions have no other",
		},
		"no metric yet": {`[]`, "", false, health.Seen{}, "no metric", "a new JobManager has collected none"},
		"no number": {
			`[{"id":"numRestarts","value":"NaN"}]`, "", false, health.Seen{}, "no metric",
			"nothing is concluded from it",
		},
		"no checkpoint yet": {`[{"id":"numRestarts","value":"0"}]`, statistics("null", "null"), true,
			health.Seen{Checkpoints: 7, Progress: at(begun)}, "",
			"it counts from the job's begin"},
		"a checkpoint": {`[{"id":"numRestarts","value":"0"}]`,
			statistics(fmt.Sprintf(checkpoint, 1_700_000_065_000), "null"), true,
			health.Seen{Checkpoints: 7, Progress: at(1_700_000_065_000)}, "", "when it was completed"},
		"a savepoint after it": {`[{"id":"numRestarts","value":"0"}]`,
			statistics(fmt.Sprintf(checkpoint, 1_700_000_065_000), fmt.Sprintf(checkpoint, 1_700_000_070_000)), true,
			health.Seen{Checkpoints: 7, Progress: at(1_700_000_070_000)}, "", "it stores the state as well"},
		"checkpoints of before a fail-over": {`[{"id":"numRestarts","value":"0"}]`,
			statistics(fmt.Sprintf(checkpoint, 1_600_000_000_000), "null"), true,
			health.Seen{Checkpoints: 7, Progress: at(begun)}, "", "this process began later"},
		"a job that makes none": {
			`[{"id":"numRestarts","value":"0"}]`, "", true, health.Seen{}, "", "it cannot fail to complete them",
		},
		"an answer of something": {
			`[{"id":"numRestarts","value":"0"}]`, `{}`, true, health.Seen{}, "counts", "nobody knows",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			job := world.Job{ID: strings.Repeat("0", 32), StartTime: fmt.Sprint(int64(begun))}
			progress := time.Duration(0)
			if row.progress {
				progress = time.Minute
			}
			g := &Gatherer{Now: func() time.Time { return at(begun) }}
			seen := g.health(t.Context(), flinkAnswers(t, row.metrics, row.checkpoints), job, progress)
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

// A job that has not completed a checkpoint for as long as its configuration allows may make them more seldom by its
// code. Without Flink's word for that nothing is known of its health.
func TestHowOftenAJobMakesCheckpoints(t *testing.T) {
	const begun = 1_700_000_000_000
	rows := map[string]struct {
		age     time.Duration
		config  string
		want    *health.Pace
		unknown bool
	}{
		"young": {59 * time.Second, `{}`, nil, false},
		"old": {
			61 * time.Second, `{"mode":"exactly_once","interval":21600000,"timeout":600000}`,
			&health.Pace{Interval: 6 * time.Hour, Timeout: 10 * time.Minute}, false,
		},
		"old, and the code switches them off": {
			61 * time.Second, `{"mode":"at_least_once","interval":9223372036854775807,"timeout":600000}`,
			&health.Pace{Interval: math.MaxInt64 / 1_000_000 * time.Millisecond, Timeout: 10 * time.Minute}, false,
		},
		"old, and Flink does not say": {61 * time.Second, `{}`, nil, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer := `{"counts":{"completed":0},"latest":{},"history":[]}`
				switch {
				case strings.HasSuffix(r.URL.Path, "/config"):
					answer = row.config
				case strings.HasSuffix(r.URL.Path, "/metrics"):
					answer = `[{"id":"numRestarts","value":"0"}]`
				}
				_, _ = w.Write([]byte(answer))
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
			g := &Gatherer{Now: func() time.Time { return time.UnixMilli(begun).Add(row.age) }}
			job := world.Job{ID: strings.Repeat("0", 32), StartTime: fmt.Sprint(int64(begun))}
			seen := g.health(t.Context(), client, job, time.Minute)
			if seen.IsUnknown() != row.unknown {
				t.Fatalf("unknown %t (%s), want %t", seen.IsUnknown(), seen.Why(), row.unknown)
			}
			if got, _ := seen.Get(); !reflect.DeepEqual(got.Own, row.want) {
				t.Errorf("own %+v, want %+v", got.Own, row.want)
			}
		})
	}
}
