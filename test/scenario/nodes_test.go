package scenario

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

func init() {
	for name, s := range nodeScenarios {
		scenarios[name] = s
	}
}

// failNode takes the machine away from under everything that runs, as far as anybody else can see. There is another
// one.
func (h *harness) failNode() {
	h.w.Kube.AddNode("node-2")
	h.w.Nodes.NodeDown("node-1")
}

// podsOn are the pods that are bound to a node.
func (h *harness) podsOn(node string) int {
	h.t.Helper()
	n := 0
	for _, u := range h.w.Kube.List(kubesim.Pods, namespace, nil) {
		if spec, ok := u.Object["spec"].(map[string]any); ok && spec["nodeName"] == node {
			n++
		}
	}
	return n
}

// nodeScenarios stop clusters whose machine does not answer.
var nodeScenarios = map[string]scenario{
	"an upgrade of a highly available job whose node fails": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable, parallelism(24)))
		h.untilStable("demo")
		h.checkpoints("demo")
		expect(h.t, "pods on the node, twelve of them TaskManagers", h.podsOn("node-1"), 13)
		h.failNode()
		h.edit("demo", parallelism(4))
		h.untilStarts("demo", 2)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
		expect(h.t, "pods left on the node", h.podsOn("node-1"), 0)
	}, "its leader's lease has run out, so nobody has to come"},

	"a deletion of a highly available job whose node fails": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.failNode()
		h.remove("demo")
		h.untilGone("demo")
		expect(h.t, "pods left on the node", h.podsOn("node-1"), 0)
		if !strings.Contains(h.reasons("demo"), "PodDeleted") {
			h.t.Errorf("nobody was told that a pod was deleted by force: %s", h.reasons("demo"))
		}
		h.w.Nodes.NodeUp("node-1")
	}, "a deletion ends"},

	"a deletion of a job whose node fails": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.failNode()
		h.remove("demo")
		h.until("it waits for a person", func() bool {
			return strings.Contains(h.condition("demo", "Stalled"), "NodeUnreachable")
		})
		if h.podsOn("node-1") == 0 {
			h.t.Error("a pod that may still run its job was taken away")
		}
		h.w.Nodes.NodeUp("node-1")
		h.untilGone("demo")
	}, "without high availability it is not known whether the job still runs there"},

	"an upgrade of a job whose node fails": {func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.failNode()
		h.edit("demo", parallelism(4))
		h.until("it asks for a person", func() bool {
			return strings.Contains(h.condition("demo", "Stalled"), "NodeUnreachable")
		})
		h.says("demo", "Stalled", "kubectl delete pod -n flink --force --grace-period=0 demo-")
		expect(h.t, "what runs", h.starts("demo"), "nothing")
		h.w.Nodes.RemoveNode("node-1")
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "without high availability it may still run there"},

	"an upgrade whose last TaskManager has begun, and its status does not say so yet": {func(h *harness) {
		h.newTaskManagerLate(nil)
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, fail-over, nothing")
	}, "the next JobManager would adopt it"},

	"an upgrade whose last TaskManager has begun, and its kubelet is dead": {func(h *harness) {
		h.newTaskManagerLate(func() { h.w.Nodes.KubeletDown("node-0") })
		h.edit("demo", parallelism(4))
		h.until("it asks for a person", func() bool {
			return strings.Contains(h.condition("demo", "Stalled"), "NodeUnreachable")
		})
		h.w.Nodes.KubeletUp("node-0")
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, fail-over, nothing")
	}, "what a dead kubelet said last is no news"},

	"an upgrade that leaves what it deletes behind": {func(h *harness) {
		h.installs("kubernetes.operator.resource.deletion.propagation", "Orphan")
		h.apply("demo", application())
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "its pods end all the same, and what nobody owns any more is replaced"},

	"an edit in the first seconds of a dead kubelet": {func(h *harness) {
		h.w.Nodes.StatusLate(3)
		h.apply("demo", application(stateful("savepoint"), retained, option("execution.checkpointing.interval", "3 s")))
		h.until("its JobManager runs", func() bool { return h.w.Flink.JobManagers(namespace, "demo") == 1 })
		h.w.Nodes.StatusLate(0)
		h.w.Kube.AddNode("node-0") // where its TaskManagers find room
		h.w.Nodes.KubeletDown("node-1")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.steps(60)
		expect(h.t, "what runs", h.starts("demo"), "nothing")
		h.w.Nodes.KubeletUp("node-1")
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "nobody can say that its JobManager never ran"},
}

// newTaskManagerLate runs a job whose TaskManager was just replaced by one on another node, that takes its time to end:
// it has begun, and its status does not say so. then is what happens next.
func (h *harness) newTaskManagerLate(then func()) {
	h.t.Helper()
	h.apply("demo", application(option("restart-strategy.type", "exponential-delay")))
	h.untilStable("demo")
	h.w.Kube.AddNode("node-0") // the first that has room
	h.image("flink:1.20@taskmanager", controllers.Script{StopSteps: 8})
	h.w.Nodes.StatusLate(30)
	for _, pod := range h.w.Kube.List(kubesim.Pods, namespace, map[string]string{"component": "taskmanager"}) {
		if metav1.GetControllerOf(pod).Kind != "ReplicaSet" { // of a native cluster: its JobManager asks for another one
			h.w.Nodes.Crash(namespace, pod.GetName(), "oom")
		} else if err := h.w.Kube.Delete(kubesim.Pods, namespace, pod.GetName(), kubesim.DeleteOptions{}); err != nil {
			h.t.Error(err)
		}
	}
	h.until("its job runs again", func() bool { return h.starts("demo") == "nothing, fail-over" })
	waits := false
	for _, pod := range h.w.Kube.List(kubesim.Pods, namespace, map[string]string{"component": "taskmanager"}) {
		phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
		statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
		waits = waits || phase == "Pending" && len(statuses) > 0
	}
	if !waits {
		h.t.Fatal("no TaskManager waits by its status")
	}
	if then != nil {
		then()
	}
}
