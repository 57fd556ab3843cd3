package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

func init() {
	for name, s := range healthScenarios {
		scenarios[name] = s
	}
}

// healthChecked switches the health check on. A checkpoint may take as long as it takes Flink to give one up.
func healthChecked(spec map[string]any) {
	option("kubernetes.operator.cluster.health-check.enabled", "true")(spec)
	option("execution.checkpointing.timeout", "90 s")(spec)
}

// restartsOften lets the newest job have restarted far more often than anybody allows.
func (h *harness) restartsOften(name string) {
	h.t.Helper()
	h.until("the first look at the health of "+name, func() bool { return h.status(name).ClusterInfo[health.Key] != "" })
	h.flink(name, func(j *job.Job) { j.Restarts += 1_000_000 })
}

// untilStarts waits for the n-th start of a job of the cluster.
func (h *harness) untilStarts(name string, n int) {
	h.t.Helper()
	h.until("another start of "+name, func() bool { return len(h.w.Flink.Starts(namespace, name)) >= n })
}

// healthScenarios restart jobs that run and do not get on.
var healthScenarios = map[string]scenario{
	"a stateless job restarts all the time": {func(h *harness) {
		h.apply("demo", application(healthChecked))
		h.untilStable("demo")
		h.restartsOften("demo")
		h.untilStarts("demo", 2)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
		h.tells("demo", "JobStatusChanged RestartUnhealthyJob Submit Suspended")
	}, "a fresh cluster often helps"},

	"a highly available job restarts all the time": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), highlyAvailable, healthChecked))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.restartsOften("demo")
		h.untilStarts("demo", 2)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "it goes on from its last checkpoint, whatever its upgrade mode"},

	"a job completes no checkpoints": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable, healthChecked))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.w.Flink.ScriptJob("demo", job.Script{NoCheckpoints: true})
		h.untilStarts("demo", 2)
		h.w.Flink.ScriptJob("demo", job.Script{})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "a job that cannot store its state is as good as down"},

	"a job that cannot be restarted restarts all the time": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), healthChecked))
		h.untilStable("demo")
		h.restartsOften("demo")
		h.until("it says so", func() bool { return strings.Contains(h.condition("demo", "Stalled"), "JobUnhealthy") })
		h.says("demo", "Stalled", "Restart count hit threshold: 64")
		expect(h.t, "what runs", h.starts("demo"), "nothing")
		h.until("it is well again", func() bool { return strings.HasPrefix(h.condition("demo", "Ready"), "True") })
		h.sees("demo", stable, "nothing")
	}, "without high-availability data a restart would lose its state"},
}

// A quiet world with the health check on stays within the requests of a look.
func TestAHealthyLookIsCheap(t *testing.T) {
	h := newHarness(t)
	h.apply("demo", application(stateful("last-state"), highlyAvailable, healthChecked))
	h.untilStable("demo")
	h.checkpoints("demo")
	h.rest()
	h.quiet()
	const most = 5 // the resource, its Deployment, the jobs, the metrics, the checkpoints
	if h.figures.look > most {
		t.Errorf("%d requests for a look, want at most %d", h.figures.look, most)
	}
}

// took is the simulated time until something holds.
func (h *harness) took(what string, holds func() bool) time.Duration {
	h.t.Helper()
	begin := h.w.Clock.Now()
	h.until(what, holds)
	return h.w.Clock.Now().Sub(begin)
}

func TestAFailureIsShownAtTheNextLook(t *testing.T) {
	for name, row := range map[string]struct {
		until func(h *harness)
		most  time.Duration
	}{
		"while it starts": {func(h *harness) {
			h.until("its job is there", func() bool { return h.running("demo") != "-" })
			expect(t, "pace", h.status("demo").Pace, v1beta1.PaceFast)
		}, 2 * time.Second},
		"while all is steady": {func(h *harness) {
			h.untilStable("demo")
			h.until("the clock is steady", func() bool { return h.pace() == clock.Steady })
		}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.apply("demo", application())
			row.until(h)
			h.flink("demo", func(j *job.Job) {
				j.Fail("org.apache.flink.runtime.JobException", "Recovery is suppressed", h.w.Clock.Now())
				j.Failures[len(j.Failures)-1].Cause = "java.net.ConnectException: no route to kafka-0"
			})
			took := h.took("demo is FAILED", h.settled("demo", v1beta1.LifecycleFailed))
			if took > row.most {
				t.Errorf("it took %s, want at most %s", took, row.most)
			}
			if text := h.status("demo").Error; !strings.Contains(text, "no route to kafka-0") {
				t.Errorf("status.error %q does not name the root cause", text)
			}
			expect(t, "columns", h.columns("demo"), "FAILED FAILED False Ended")
		})
	}
}

func TestAKilledJobManagerShowsItsJobAtOnce(t *testing.T) {
	h := newHarness(t)
	h.apply("demo", application(stateful("last-state"), highlyAvailable))
	h.untilStable("demo")
	h.checkpoints("demo")
	h.until("the clock is steady", func() bool { return h.pace() == clock.Steady })
	h.w.Nodes.Crash(namespace, h.jobManagerPod("demo"), "killed")
	if took := h.took("it is noticed", func() bool {
		return h.status("demo").JobManagerDeploymentStatus != v1beta1.JobManagerReady
	}); took > time.Minute {
		t.Errorf("it was noticed after %s", took)
	}
	h.until("Flink runs it again", func() bool {
		return len(h.w.Flink.Starts(namespace, "demo")) == 2 &&
			h.running("demo") == "RUNNING"
	})
	expect(t, "the clock while it is away", h.pace(), clock.Transition)
	if took := h.took("it is RUNNING again", func() bool { return h.columns("demo") == stable }); took > 2*time.Second {
		t.Errorf("it is shown as running after %s, want the first look", took)
	}
	h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
}
