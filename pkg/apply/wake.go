package apply

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// mostWakes bounds how many requests for a pass go out at the same time.
const mostWakes = 8

// Wake asks for a pass of each resource that depends on the given one, all within the time that a Broker has. What
// cannot be asked for is logged: the sweep looks at those resources anyway.
func (a *EventRecorder) Wake(ctx context.Context, resource *unstructured.Unstructured, dependants []plan.Dependant) {
	if a == nil || len(dependants) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(mostWakes)
	for _, d := range dependants {
		group.Go(func() error { a.note(string(event.ReasonDependant), a.wake(ctx, resource, d)); return nil })
	}
	_ = group.Wait() // failures are noted where they happen
}

func (a *EventRecorder) wake(ctx context.Context, resource *unstructured.Unstructured, d plan.Dependant) error {
	key := event.Key{Kind: d.Kind, Namespace: resource.GetNamespace(), Name: d.Name}
	e, err := event.Make(event.TypePassRequested, event.Head{
		ID:  fmt.Sprintf("%s-%s-%08x", resource.GetUID(), resource.GetResourceVersion(), syntax.JavaHash(key.String())),
		Key: key, Source: a.Source, Time: a.Now(), Reason: string(event.ReasonDependant),
	}, nil)
	if err != nil {
		return err
	}
	return a.Control.Publish(ctx, e)
}
