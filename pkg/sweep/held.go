package sweep

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan/unsupported"
)

// heldKinds are the kinds that are not run yet.
var heldKinds = map[string]schema.GroupVersionResource{
	v1beta1.KindFlinkSessionJob:          v1beta1.FlinkSessionJobGVR,
	v1beta1.KindFlinkBlueGreenDeployment: v1beta1.FlinkBlueGreenDeploymentGVR,
}

// sweepHeld asks for a pass of each resource of a kind that is not run yet, is being deleted, and is held by the Java
// operator's finalizer.
//
//	resource                            looked at
//	a pass waits for its job's end      each sweep
//	marked to go, no pass has seen it   in the sweeps of each tenth minute
func (o *Observer) sweepHeld(ctx context.Context) error {
	query := kube.Query{Fields: fast, Limit: pageSize}
	if o.Gather.Now().Minute()%rarely == 0 {
		query.Fields = ""
	}
	var failures []error
	for kind, gvr := range heldKinds {
		for _, namespace := range o.namespaces() {
			query.Resource, query.Namespace = gvr, namespace
			failures = append(failures, o.askForHeld(ctx, kind, query))
		}
	}
	return errors.Join(failures...)
}

func (o *Observer) askForHeld(ctx context.Context, kind string, query kube.Query) error {
	var failures []error
	for {
		list, err := o.Gather.Kube.List(ctx, query)
		if err != nil {
			return errors.Join(append(failures, o.skipped(query.Namespace, err))...)
		}
		for i := range list.Items {
			if u := &list.Items[i]; unsupported.Held(u) && o.Watches(u.GetNamespace()) {
				failures = append(failures, o.request(ctx, kind, u, event.ReasonTransition))
			}
		}
		if query.Continue = list.GetContinue(); query.Continue == "" {
			return errors.Join(failures...)
		}
	}
}
