package scenario

import (
	"maps"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

func init() { maps.Copy(scenarios, autoscalerScenarios) }

// autoscaled is a job that is measured for two minutes, after one.
func autoscaled(spec map[string]any) {
	for name, value := range map[string]string{
		"job.autoscaler.enabled": "true", "job.autoscaler.metrics.window": "2 min",
		"job.autoscaler.stabilization.interval": "1 min", "job.autoscaler.scale-down.interval": "0 s",
		"job.autoscaler.restart.time": "5 s", "job.autoscaler.utilization.max": "0.8",
	} {
		option(name, value)(spec)
	}
}

// loads gives a job so much to do that a subtask of it does a thousand records of each second.
func (h *harness) loads(name string, rate float64) {
	h.w.Flink.ScriptJob(name, job.Script{Load: job.Load{Rate: rate, Capacity: 1000}})
}

// scaledTo waits until both vertices of a job run with more or less than before.
func (h *harness) scaledTo(name, what string, holds func(parallelism int) bool) {
	h.t.Helper()
	h.until(name+" is scaled "+what, func() bool {
		p := h.parallelismOf(name)
		return p[0] > 0 && holds(p[0]) && holds(p[1])
	})
	h.untilStable(name)
}

// windowFills waits until the window of a job that was just scaled is full.
func (h *harness) windowFills(name string) {
	h.t.Helper()
	scaled := h.w.Clock.Now()
	h.until(name+" is measured", func() bool {
		over := h.w.Clock.Now().Sub(scaled) > 4*time.Minute // the window, the stabilization, and a look
		return over && strings.Contains(h.condition(name, "Autoscaling"), "AutoscalerActive")
	})
}

// kept is the store of the autoscaler of a resource; nil when there is none.
func (h *harness) kept(name string) *unstructured.Unstructured {
	return h.w.Kube.Peek(kubesim.ConfigMaps, namespace, "autoscaler-"+name)
}

// keptOverrides are what the store says of the source; empty when it says nothing.
func (h *harness) keptOverrides(name string) string {
	u := h.kept(name)
	if u == nil {
		return ""
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "parallelismOverrides")
	return text
}

func atLeast(n int) func(int) bool { return func(p int) bool { return p >= n } }
func atMost(n int) func(int) bool  { return func(p int) bool { return p <= n } }

// autoscalerScenarios are jobs whose vertices are scaled by their metrics, for TestScenarios.
var autoscalerScenarios = map[string]scenario{
	"the autoscaler follows the load in place": {func(h *harness) {
		h.loads("demo", 3500)
		h.apply("demo", application(stateful("savepoint"), adaptive, autoscaled))
		h.untilStable("demo")
		h.says("demo", "Autoscaling", "True AutoscalerCollecting")
		h.scaledTo("demo", "up", atLeast(5))
		h.loads("demo", 1200)
		h.scaledTo("demo", "down", atMost(2))
		h.windowFills("demo")
		h.sees("demo", stable, "nothing")
		h.tells("demo", "Configuration recommendation JobStatusChanged Scaling ScalingReport SpecChanged Submit")
	}, "no cluster is started for it, and what is kept survives each pod"},

	"the autoscaler scales by an upgrade": {func(h *harness) {
		h.loads("demo", 3500)
		h.apply("demo", application(stateful("savepoint"), autoscaled))
		h.untilStable("demo")
		h.scaledTo("demo", "up", atLeast(5))
		h.windowFills("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the default scheduler does not change the parallelism of a running job, and the state goes along"},

	"the autoscaler scales a session job": {func(h *harness) {
		h.apply("session", sessionCluster(adaptive))
		h.untilStable("session")
		h.loads("etl", 3500)
		h.submit("etl", sessionJob("session", autoscaled))
		h.untilStable("etl")
		h.scaledTo("etl", "up", atLeast(5))
		h.windowFills("etl")
		h.sees("etl", stable, "nothing")
	}, "it is a job on another host"},

	"the autoscaler is turned off": {func(h *harness) {
		h.loads("demo", 3500)
		h.apply("demo", application(stateful("savepoint"), adaptive, autoscaled))
		h.untilStable("demo")
		h.scaledTo("demo", "up", atLeast(5))
		h.loads("demo", 0)
		h.edit("demo", option("job.autoscaler.enabled", "false"))
		h.scaledTo("demo", "back", atMost(2))
		expect(h.t, "what is kept", h.keptOverrides("demo"), "")
		h.rest()
	}, "the job gets the size of its spec, and what was kept is gone"},

	"the autoscaler is reset": {func(h *harness) {
		h.loads("demo", 3500)
		h.apply("demo", application(stateful("savepoint"), adaptive, autoscaled))
		h.untilStable("demo")
		h.scaledTo("demo", "up", atLeast(5))
		h.edit("demo", jobField("autoscalerResetNonce", int64(1)))
		h.scaledTo("demo", "back", atMost(2))
		h.scaledTo("demo", "up again", atLeast(5))
		h.windowFills("demo")
	}, "it begins from the size of the spec, and measures anew"},

	"an edit of an autoscaled job": {func(h *harness) {
		h.loads("demo", 3500)
		h.apply("demo", application(stateful("savepoint"), autoscaled))
		h.untilStable("demo")
		h.scaledTo("demo", "up", atLeast(5))
		before := h.parallelismOf("demo")
		h.edit("demo", option("k", "1"))
		h.untilStarts("demo", 3)
		h.untilStable("demo")
		h.windowFills("demo")
		expect(h.t, "the parallelism after the edit", h.parallelismOf("demo"), before)
	}, "what the autoscaler decided counts in each upgrade"},
}
