package scenario

import (
	"maps"
	"net/http"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func init() { maps.Copy(scenarios, adaptiveScenarios) }

// adaptive runs a job with the adaptive scheduler.
var adaptive = option("jobmanager.scheduler", "adaptive")

// untilItWaits takes the TaskManagers of a job away: there is no room for others.
func (h *harness) untilItWaits(name string) {
	h.t.Helper()
	h.image("flink:1.20@taskmanager", controllers.Script{Unschedulable: true})
	for _, pod := range h.w.Kube.List(kubesim.Pods, namespace, map[string]string{"component": "taskmanager"}) {
		if err := h.w.Kube.Delete(kubesim.Pods, namespace, pod.GetName(), kubesim.DeleteOptions{}); err != nil {
			h.t.Fatal(err)
		}
	}
	h.until("it waits for resources", func() bool {
		j := h.w.Flink.Job(namespace, name, "")
		return j != nil && j.State == job.Created && j.NoGraph
	})
}

// adaptiveScenarios are jobs that wait for resources under the adaptive scheduler, where Flink tells nothing of their
// checkpoints.
var adaptiveScenarios = map[string]scenario{
	"adaptive, cancelled by a person while it waits for resources": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{NoCheckpoints: true}) // none that anybody had seen
		h.apply("demo", application(stateful("last-state"), adaptive))
		h.untilStable("demo")
		h.untilItWaits("demo")
		h.flink("demo", func(j *job.Job) { j.Cancel(h.w.Clock.Now()) })
		h.untilLost("demo")
		h.sees("demo", "CANCELED DEPLOYED False StateLost", "nothing")
	}, "nobody can tell it from a job that never ran"},

	"adaptive, changed while it waits for resources": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), adaptive))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.untilItWaits("demo")
		h.edit("demo", parallelism(4))
		h.until("the edit waits", func() bool {
			return strings.Contains(h.condition("demo", "Reconciling"), "CheckpointsUnknown")
		})
		h.image("flink:1.20@taskmanager", controllers.Script{})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, fail-over(checkpoint), path(checkpoint)")
	}, "a cancellation would lose what only the running job tells"},

	"adaptive, changed while nobody knows whether it waits for resources": {func(h *harness) {
		h.image("flink:1.20@taskmanager", controllers.Script{Unschedulable: true})
		h.apply("demo", application(
			stateful("last-state"), adaptive, option("execution.checkpointing.interval", "10 min"), // none in this story
		))
		h.until("it waits for resources", func() bool {
			j := h.w.Flink.Job(namespace, "demo", "")
			return j != nil && j.NoGraph && h.status("demo").JobStatus.State == v1beta1.FlinkJobCreated
		})
		answers := h.w.Tap.Inject(wire.Fault{Match: wire.On("get", "jobs"), Status: http.StatusInternalServerError})
		h.edit("demo", parallelism(4))
		h.until("the edit waits", func() bool {
			return strings.Contains(h.condition("demo", "Reconciling"), "CheckpointsUnknown")
		})
		answers()
		h.image("flink:1.20@taskmanager", controllers.Script{})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "one question that fails is no answer"},

	"adaptive, stateless, changed while it waits for resources": {func(h *harness) {
		h.apply("demo", application(adaptive, option("restart-strategy.type", "exponential-delay")))
		h.untilStable("demo")
		h.untilItWaits("demo")
		h.edit("demo", parallelism(4))
		h.until("the change begins", func() bool { // else it fails over first
			return h.status("demo").Intent != nil || deployedBy(h.status("demo")) == 2
		})
		h.image("flink:1.20@taskmanager", controllers.Script{})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "there is nothing to lose"},

	"adaptive, whose Deployment is lost": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), onZooKeeper, adaptive))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.loseDeployment("demo")
		h.untilStarts("demo", 2)
		h.untilStable("demo")
		h.steps(5)
		expect(h.t, "StateSafe", h.condition("demo", "StateSafe"), "-")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "its statistics, from before it got its resources, say nothing of its restore"},
}
