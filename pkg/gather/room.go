package gather

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// nodePage is how many nodes are listed at once.
const nodePage = 500

// clusterAutoscaler is where the cluster autoscaler of Kubernetes says how far its node groups may grow.
var clusterAutoscaler = kube.Object{
	Resource: kube.ConfigMaps, Namespace: "kube-system", Name: "cluster-autoscaler-status",
}

// Room reads the nodes that the job autoscaler may fill, and keeps what it read for a while. Safe for concurrent use.
type Room struct {
	// Kube reads the nodes, what they use (metrics.k8s.io), and what the cluster autoscaler says.
	Kube Reader
	// Interval is how long an answer counts; kubernetes.operator.cluster.resource-view.refresh-interval. Zero reads
	// each time.
	Interval time.Duration
	// Now is the clock.
	Now func() time.Time

	mu   sync.Mutex
	view capacity.View
	read time.Time
}

// Look is the view of the nodes. A failure is Unknown, and is not kept.
func (r *Room) Look(ctx context.Context) plan.Observed[capacity.View] {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	if r.read.IsZero() || now.Sub(r.read) >= r.Interval {
		view, err := r.look(ctx)
		if err != nil {
			return plan.Unknown[capacity.View](oneLine(err))
		}
		r.view, r.read = view, now
	}
	return plan.Present(r.view.Clone())
}

func (r *Room) look(ctx context.Context) (capacity.View, error) {
	used := map[string]map[string]any{}
	measured := kube.Query{Resource: kube.NodeMetrics, Limit: nodePage}
	err := pages(ctx, r.Kube, measured, func(u *unstructured.Unstructured) error {
		usage, _, err := unstructured.NestedMap(u.Object, "usage")
		used[u.GetName()] = usage
		return err
	})
	if err != nil {
		return capacity.View{}, err
	}
	view := capacity.View{}
	nodes := kube.Query{Resource: kube.Nodes, Limit: nodePage}
	err = pages(ctx, r.Kube, nodes, func(u *unstructured.Unstructured) error {
		allocatable, _, err := unstructured.NestedMap(u.Object, "status", "allocatable")
		usage, measured := used[u.GetName()]
		if err != nil || !measured {
			return err // nobody knows what it gives already: it has no room
		}
		node := capacity.Node{Name: u.GetName(), Group: u.GetLabels()[capacity.GroupLabel]}
		for name, into := range map[corev1.ResourceName]*capacity.Resource{
			corev1.ResourceCPU: &node.CPU, corev1.ResourceMemory: &node.Memory,
		} {
			if into.Allocatable, err = amount(allocatable, name); err == nil {
				into.Used, err = amount(usage, name)
			}
			if err != nil {
				return fmt.Errorf("node %s: %w", node.Name, err)
			}
		}
		view.Nodes = append(view.Nodes, node)
		return nil
	})
	if err != nil {
		return capacity.View{}, err
	}
	return r.grown(ctx, view)
}

// grown is the view with what the cluster autoscaler could still add, where there is one.
func (r *Room) grown(ctx context.Context, view capacity.View) (capacity.View, error) {
	u, found, err := r.Kube.Get(ctx, clusterAutoscaler)
	if err != nil || !found {
		return view, err
	}
	status, _, err := unstructured.NestedString(u.Object, "data", "status")
	if err != nil {
		return capacity.View{}, err
	}
	sizes, err := capacity.Groups(status)
	if err != nil {
		return capacity.View{}, fmt.Errorf("ConfigMap %s/%s: %w", clusterAutoscaler.Namespace, clusterAutoscaler.Name, err)
	}
	return view.Grown(sizes), nil
}

// amount is a quantity in cores or bytes; 0 when it is not there.
func amount(of map[string]any, name corev1.ResourceName) (float64, error) {
	text, is := of[string(name)].(string)
	if !is {
		return 0, nil
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, fmt.Errorf("%s %q: %w", name, text, err)
	}
	return q.AsApproximateFloat64(), nil
}
