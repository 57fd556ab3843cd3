package sweep

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// sides are the FlinkDeployments with the label of a side, of a namespace or of all. Safe for concurrent use.
type sides struct {
	gather.Sides
	read func() (map[types.NamespacedName]*v1beta1.FlinkDeployment, string)
}

// sidesOf reads them when the first is asked for.
func (o *Observer) sidesOf(ctx context.Context, namespace string) *sides {
	return &sides{o.Gather, sync.OnceValues(func() (map[types.NamespacedName]*v1beta1.FlinkDeployment, string) {
		found := map[types.NamespacedName]*v1beta1.FlinkDeployment{}
		query := kube.Query{
			Resource: v1beta1.FlinkDeploymentGVR, Namespace: namespace, Labels: v1beta1.LabelBlueGreenType, Limit: 200,
		}
		for {
			list, err := o.Gather.Kube.List(ctx, query)
			if err != nil {
				return nil, fail.Message(err)
			}
			for i := range list.Items {
				d, _, err := v1beta1.DecodeDeployment(list.Items[i].Object)
				if err == nil { // one that cannot be read is read alone, and says so
					found[types.NamespacedName{Namespace: d.Namespace, Name: d.Name}] = &d
				}
			}
			if query.Continue = list.GetContinue(); query.Continue == "" {
				return found, ""
			}
		}
	})}
}

// FlinkDeployment answers from the list, and reads one that has lost its label alone.
func (s *sides) FlinkDeployment(
	ctx context.Context, namespace, name string,
) plan.Observed[*v1beta1.FlinkDeployment] {
	found, why := s.read()
	if why != "" {
		return plan.Unknown[*v1beta1.FlinkDeployment](why)
	}
	if d, listed := found[types.NamespacedName{Namespace: namespace, Name: name}]; listed {
		return plan.Present(d)
	}
	return s.Sides.FlinkDeployment(ctx, namespace, name)
}
