package scenario

import (
	"testing"
	"time"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/otlpsim"
)

// lifecycleSince is since when the status of a resource has its lifecycle state so.
func (h *harness) lifecycleSince(name string) time.Time {
	h.t.Helper()
	text, _, _ := unstructured.NestedString(h.resource(name).Object, "status", "lifecycleSince")
	since, err := time.Parse(time.RFC3339, text)
	if err != nil {
		h.t.Fatal(err)
	}
	return since
}

// pushes starts the functions afresh, with metrics: where they go, and what pushes those that wait.
func (h *harness) pushes() (to *otlpsim.Receiver, push func()) {
	h.t.Helper()
	to = otlpsim.New(h.t)
	made, err := metrics.New(metrics.Setup{
		Function: "reconcile", Namespace: system, Endpoint: otlp.Endpoint{URL: to.URL, Timeout: time.Minute},
		Now: h.w.Clock.Now, Log: zap.NewNop().Sugar(),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.measured = made
	h.restart()
	return to, func() { made.Close(h.t.Context()) }
}

// How long a resource was in each lifecycle state is pushed once, by the pass that stores that it is in another one:
// all together are its whole life.
func TestTimeInEachLifecycleState(t *testing.T) {
	for name, onSession := range map[string]bool{"an application": false, "a session job": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.onSession = onSession
			collector, push := h.pushes()
			h.apply(demo, application(stateful("savepoint")))
			h.flush()
			push()
			kind := "flink.resource.kind=" + kindName(h.kindOf(demo))
			took := func(labels ...string) time.Duration {
				seconds := collector.Total(string(metrics.StateDuration), append(labels, kind)...)
				return time.Duration(seconds * float64(time.Second))
			}
			before := took()
			began := h.lifecycleSince(demo)
			h.untilStable(demo)
			h.pass(3 * time.Minute)
			h.edit(demo, parallelism(3))
			h.untilStable(demo)
			stable := h.lifecycleSince(demo)
			h.pass(time.Minute)
			expect(t, "since when it is stable", h.lifecycleSince(demo), stable)
			h.edit(demo, jobState("suspended"))
			h.untilSuspended(demo)
			h.pass(5 * time.Minute)
			h.edit(demo, jobState("running"))
			h.untilStable(demo)
			h.flink(demo, func(j *job.Job) { j.Fail("java.lang.IllegalStateException", "no", h.w.Clock.Now()) })
			h.until("it has failed", h.settled(demo, "FAILED"))
			push()
			expect(t, "the time in all states", took()-before, h.lifecycleSince(demo).Sub(began))
			for labels, least := range map[[2]string]time.Duration{
				{"flink.state.from=STABLE", kind}:                       4 * time.Minute,
				{"flink.state.from=SUSPENDED", "flink.state=UPGRADING"}: 5 * time.Minute,
				{"flink.state.from=DEPLOYED", "flink.state=STABLE"}:     1,
			} {
				if got := took(labels[:]...); got < least || got > least+2*time.Minute {
					t.Errorf("%v: %s, want %s or a little more", labels, got, least)
				}
			}
		})
	}
}

// How long a pair was in each state is pushed once: a change that was carried out, and one that was aborted.
func TestTimeInEachStateOfAPair(t *testing.T) {
	h := newHarness(t)
	collector, push := h.pushes()
	h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
	h.applyPair("demo", application(stateful("savepoint")), hold("0 s", "2 min"))
	h.untilPair("demo", "ACTIVE_BLUE", "RUNNING")
	h.editPair("demo", parallelism(4))
	h.untilPair("demo", "ACTIVE_GREEN", "RUNNING")
	h.editPair("demo", field("image", "flink:broken"))
	h.untilPair("demo", "ACTIVE_GREEN", "FAILING")
	push()
	for _, row := range []struct {
		from, to string
		least    time.Duration
	}{
		{"TRANSITIONING_TO_GREEN", "ACTIVE_GREEN", 10 * time.Second},
		{"TRANSITIONING_TO_BLUE", "ACTIVE_GREEN", 2 * time.Minute},
	} {
		labels := []string{
			"flink.resource.kind=FlinkBlueGreenDeployment", "flink.state.from=" + row.from, "flink.state=" + row.to,
		}
		if n := collector.Total(string(metrics.Transitions), labels...); n != 1 {
			t.Errorf("%s to %s was counted %g times, want once", row.from, row.to, n)
		}
		took := time.Duration(collector.Total(string(metrics.StateDuration), labels...) * float64(time.Second))
		if took < row.least || took > row.least+2*time.Minute {
			t.Errorf("%s to %s took %s, want %s and at most two minutes more", row.from, row.to, took, row.least)
		}
	}
}
