package gather

import (
	"context"
	"errors"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// nodes asks for the nodes of pods that should have ended, one after the other: there are few, and seldom any.
func (g *Gatherer) nodes(ctx context.Context, inquiry *deployment.Inquiry) map[string]plan.Observed[bool] {
	var seen map[string]plan.Observed[bool]
	for _, name := range g.Revise.nodes(inquiry.Nodes(), inquiry) {
		if seen == nil {
			seen = map[string]plan.Observed[bool]{}
		}
		seen[name] = g.node(ctx, name)
	}
	return seen
}

// nodeLeases is the namespace of the Leases that kubelets renew.
const nodeLeases = "kube-node-lease"

// renewedWithin is how old the renewal of a node's Lease may be: kubelets renew it each 10 s (a quarter of
// nodeLeaseDurationSeconds). One whose clock is behind by more counts as silent.
const renewedWithin = 15 * time.Second

// node reports whether the kubelet of a node answers. Kubernetes takes a node for ready until 50 s after its kubelet's
// last word (--node-monitor-grace-period, 40 s before 1.32), so its Lease counts, too, where that can be read.
func (g *Gatherer) node(ctx context.Context, name string) plan.Observed[bool] {
	u, found, err := g.Kube.Get(ctx, kube.Object{Resource: kube.Nodes, Name: name})
	ready := observe(u, found, err, func(u *unstructured.Unstructured) (bool, error) { return answers(u, g.Now()) })
	if yes, known := ready.Get(); !known || !yes {
		return ready
	}
	u, found, err = g.Kube.Get(ctx, kube.Object{Resource: kube.Leases, Namespace: nodeLeases, Name: name})
	if renewed, known := observe(u, found, err, renewedAt).Get(); known {
		ready = plan.Present(g.Now().Sub(renewed) <= renewedWithin)
	}
	return ready
}

// renewedAt is when a Lease was renewed.
func renewedAt(u *unstructured.Unstructured) (time.Time, error) {
	lease, err := typed[coordinationv1.Lease](u)
	if err != nil {
		return time.Time{}, err
	}
	if lease.Spec.RenewTime == nil {
		return time.Time{}, errors.New("the lease was never renewed")
	}
	return lease.Spec.RenewTime.Time, nil
}

// backFor is how long a node has to be ready until what is stored of its pods counts as its kubelet's word: one that
// was started again has not written yet what it finds.
const backFor = 30 * time.Second

// answers reports whether a node is ready, not only just now, and nobody marked it unreachable.
func answers(u *unstructured.Unstructured, now time.Time) (bool, error) {
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
			return c.Status == corev1.ConditionTrue && now.Sub(c.LastTransitionTime.Time) >= backFor, nil
		}
	}
	return false, nil
}
