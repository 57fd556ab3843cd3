package sweep

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// lookAtBlueGreens looks at FlinkBlueGreenDeployments that a list brought. The sides of a page are read with one list,
// by the label that each has.
func (o *Observer) lookAtBlueGreens(
	ctx context.Context, namespace string, list *unstructured.UnstructuredList,
) look {
	var from gather.Sides = o.Gather
	if len(list.Items) >= bulkFrom {
		from = o.sidesOf(ctx, namespace)
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

// sideListing reads all resources of a kind when the first is asked for; the text says why they could not be read.
type sideListing[T any] func() (map[types.NamespacedName]*T, string)

// sidesOf reads them when the first is asked for.
func (o *Observer) sidesOf(ctx context.Context, namespace string) *sides {
	return &sides{
		o.Gather,
		labelled(ctx, o, v1beta1.FlinkDeploymentGVR, namespace, v1beta1.DecodeDeployment),
		labelled(ctx, o, v1beta1.FlinkSessionJobGVR, namespace, v1beta1.DecodeSessionJob),
	}
}

// labelled lists those with the label of a side.
func labelled[T any](
	ctx context.Context, o *Observer, gvr schema.GroupVersionResource, namespace string,
	decode func(map[string]any) (T, error, error),
) sideListing[T] {
	return sync.OnceValues(func() (map[types.NamespacedName]*T, string) {
		found := map[types.NamespacedName]*T{}
		query := kube.Query{Resource: gvr, Namespace: namespace, Labels: v1beta1.LabelBlueGreenType, Limit: 200}
		for {
			list, err := o.Gather.Kube.List(ctx, query)
			if err != nil {
				return nil, fail.Message(err)
			}
			for i := range list.Items {
				one, _, err := decode(list.Items[i].Object)
				if err == nil { // one that cannot be read is read alone, and says so
					u := &list.Items[i]
					found[types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}] = &one
				}
			}
			if query.Continue = list.GetContinue(); query.Continue == "" {
				return found, ""
			}
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
