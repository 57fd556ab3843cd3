package gather

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
)

// nodes asks for the nodes of pods that should have ended, one after the other: there are few, and seldom any.
func (g *Gatherer) nodes(ctx context.Context, s deployment.Snapshot) map[string]plan.Observed[bool] {
	var seen map[string]plan.Observed[bool]
	for _, name := range deployment.AskNodes(s) {
		if seen == nil {
			seen = map[string]plan.Observed[bool]{}
		}
		u, found, err := g.Kube.Get(ctx, kube.Object{Resource: kube.Nodes, Name: name})
		seen[name] = observe(u, found, err, answers)
	}
	return seen
}

// answers reports whether the kubelet of a node does: the node is ready, and nobody marked it unreachable.
func answers(u *unstructured.Unstructured) (bool, error) {
	node, err := typed[corev1.Node](u)
	if err != nil {
		return false, err
	}
	for _, t := range node.Spec.Taints {
		if t.Key == corev1.TaintNodeUnreachable {
			return false, nil
		}
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue, nil
		}
	}
	return false, nil
}
