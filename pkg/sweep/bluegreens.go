package sweep

import (
	"context"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/bounded"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// lookAtBlueGreens looks at FlinkBlueGreenDeployments that a list brought. The sides of a page are read with one list,
// by the label that each has, which is of all sides. Those of a page that was cut by its bytes are read alone.
func (o *Observer) lookAtBlueGreens(
	ctx context.Context, namespace string, list *unstructured.UnstructuredList,
) look {
	var from gather.Sides = o.Gather
	k, _ := kinds.Of(v1beta1.KindFlinkBlueGreenDeployment)
	if n := len(list.Items); n >= bulkFrom && (list.GetContinue() == "" || int64(n) == k.Sweep.Page) {
		from = o.sidesOf(ctx, namespace, list)
	}
	return func(ctx context.Context, u *unstructured.Unstructured) error {
		s, err := o.Gather.BlueGreenBeside(ctx, u, from)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		p := bluegreen.Make(s)
		status := s.Resource.Status
		o.tell(facts{
			kind: v1beta1.KindFlinkBlueGreenDeployment, resource: s.Resource, now: s.Now, conditions: status.Conditions,
		})
		return o.askFor(ctx, v1beta1.KindFlinkBlueGreenDeployment, s.Resource, p, stands{
			status.Pace, status.ObservedGeneration, event.ReasonHealth,
		})
	}
}

// sides are the resources with the label of a side, of a namespace or of all. Safe for concurrent use.
type sides struct {
	gather.Sides
	deployments sideListing[v1beta1.FlinkDeployment]
	jobs        sideListing[v1beta1.FlinkSessionJob]
}

// sideListing reads resources of a kind when the first is asked for; the text says why they could not be read.
type sideListing[T any] func() (map[types.NamespacedName]*T, string)

// mostOfSides bounds what the sides of a page take in memory, in bytes, for each of their kinds: a quarter of what the
// page itself may.
const mostOfSides = 8 << 20

// sidesOf reads those that the pairs of a page own, when the first is asked for. What is beyond mostOfSides is read
// alone.
func (o *Observer) sidesOf(ctx context.Context, namespace string, list *unstructured.UnstructuredList) *sides {
	owners := map[types.UID]bool{}
	for i := range list.Items {
		owners[list.Items[i].GetUID()] = true
	}
	wanted := func(u *unstructured.Unstructured) bool {
		return slices.ContainsFunc(u.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return owners[r.UID] })
	}
	of := func(gvr schema.GroupVersionResource) kube.Query {
		return kube.Query{Resource: gvr, Namespace: namespace, Labels: v1beta1.LabelBlueGreenType, Limit: 200}
	}
	return &sides{
		o.Gather,
		labelled(ctx, o, of(v1beta1.FlinkDeploymentGVR), wanted, v1beta1.DecodeDeployment),
		labelled(ctx, o, of(v1beta1.FlinkSessionJobGVR), wanted, v1beta1.DecodeSessionJob),
	}
}

// labelled lists those of a query that are wanted.
func labelled[T any](
	ctx context.Context, o *Observer, query kube.Query,
	wanted func(*unstructured.Unstructured) bool, decode func(map[string]any) (T, error, error),
) sideListing[T] {
	return sync.OnceValues(func() (map[types.NamespacedName]*T, string) {
		found, left := map[types.NamespacedName]*T{}, mostOfSides
		query := query
		for {
			listed := int64(0)
			page, err := o.Kube.ListEach(ctx, query, func(content map[string]any) error {
				listed++
				u := &unstructured.Unstructured{Object: content}
				cost := bounded.CostOf(content)
				if !wanted(u) || cost > left {
					return nil
				}
				one, _, err := decode(content)
				if err == nil { // one that cannot be read is read alone, and says so
					found[types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}] = &one
					left -= cost
				}
				return nil
			})
			if err != nil {
				return nil, fail.Message(err)
			}
			if query.Continue = page.Continue; query.Continue == "" {
				return found, ""
			}
			query.Limit = max(listed, 1) // it may be too large in bytes for more
		}
	})
}

// FlinkDeployment answers from the list, and reads one that has lost its label alone.
func (s *sides) FlinkDeployment(
	ctx context.Context, namespace, name string,
) plan.Observed[*v1beta1.FlinkDeployment] {
	return listed(s.deployments, namespace, name, func() plan.Observed[*v1beta1.FlinkDeployment] {
		return s.Sides.FlinkDeployment(ctx, namespace, name)
	})
}

// FlinkSessionJob does the same.
func (s *sides) FlinkSessionJob(
	ctx context.Context, namespace, name string,
) plan.Observed[*v1beta1.FlinkSessionJob] {
	return listed(s.jobs, namespace, name, func() plan.Observed[*v1beta1.FlinkSessionJob] {
		return s.Sides.FlinkSessionJob(ctx, namespace, name)
	})
}

func listed[T any](
	all sideListing[T], namespace, name string, alone func() plan.Observed[*T],
) plan.Observed[*T] {
	found, why := all()
	if why != "" {
		return plan.Unknown[*T](why)
	}
	if one, is := found[types.NamespacedName{Namespace: namespace, Name: name}]; is {
		return plan.Present(one)
	}
	return alone()
}
