package scenario

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// gives sets what a node can give and gives already, as kubelet and metrics-server do.
func (h *harness) gives(node, cpu, used string) {
	h.t.Helper()
	status := h.w.Kube.Peek(kubesim.Nodes, "", node).Object["status"].(map[string]any)
	status["allocatable"] = map[string]any{"cpu": cpu, "memory": "64Gi"}
	if _, err := h.w.Kube.UpdateStatus(kubesim.Nodes, "", node, status); err != nil {
		h.t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "metrics.k8s.io/v1beta1", "kind": "NodeMetrics", "metadata": map[string]any{"name": node},
		"usage": map[string]any{"cpu": used, "memory": "1Gi"},
	}}
	if _, err := h.w.Kube.Create(kubesim.NodeMetrics, u); err != nil {
		h.t.Fatal(err)
	}
}

// looksAtNodes is an installation whose autoscaler looks at the nodes.
func looksAtNodes(t *testing.T) *harness {
	t.Helper()
	h := newHarness(t)
	h.installed.Operator = flinkconf.NewOperator(flinkconf.Config{
		"kubernetes.operator.cluster.resource-view.refresh-interval": "1 min",
	})
	h.restart()
	return h
}

// wouldScale applies a job that has too much to do, and waits until the condition says what keeps it from scaling.
func (h *harness) wouldScale(but string) {
	h.t.Helper()
	h.loads("demo", 3500)
	h.apply("demo", application(stateful("savepoint"), adaptive, autoscaled))
	h.untilStable("demo")
	h.until(but, func() bool { return strings.HasPrefix(h.condition("demo", "Autoscaling"), but) })
	h.rest()
	expect(h.t, "the parallelism", h.parallelismOf("demo")[0], 2)
}

// With kubernetes.operator.cluster.resource-view.refresh-interval a job is scaled once the nodes have room for its
// TaskManagers: autoscaler.md 4.7.2.
func TestTheAutoscalerWaitsForRoom(t *testing.T) {
	h := looksAtNodes(t)
	h.gives("node-1", "600m", "500m")
	h.wouldScale("False AutoscalerLacksRoom")
	h.tells("demo", "AutoscalerLacksRoom Configuration recommendation JobStatusChanged Submit")
	h.w.Kube.AddNode("node-3")
	h.gives("node-3", "16", "1")
	h.scaledTo("demo", "up", atLeast(5))
	h.until("it is measured anew", func() bool {
		return strings.HasPrefix(h.condition("demo", "Autoscaling"), "True AutoscalerCollecting")
	})
}

func TestTheAutoscalerWaitsForWhatItCannotRead(t *testing.T) {
	h := looksAtNodes(t)
	h.gives("node-1", "two", "1")
	h.wouldScale("False AutoscalerError: whether the nodes have room is not known: node node-1")
}
