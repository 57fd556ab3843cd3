package mesh

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"

	"github.com/kn-flink/kn-flink/local/mesh/loop"
)

// watchDomains says of each DomainMapping that the gateway serves it: it looks one up when it is asked for.
func (m *Mesh) watchDomains(ctx context.Context) error {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(m.gateway.dynamic, 0)
	informer := factory.ForResource(domainMappings)
	domains := loop.New("domainmapping", func(ctx context.Context, name types.NamespacedName) (time.Duration, error) {
		object, err := informer.Lister().ByNamespace(name.Namespace).Get(name.Name)
		if apierrors.IsNotFound(err) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		return 0, m.sayServed(ctx, object.(*unstructured.Unstructured))
	}, m.log)
	if _, err := informer.Informer().AddEventHandler(domains.Handler(loop.Own)); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.Background())
	factory.Start(running.Done())
	for kind, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			cancel()
			return fmt.Errorf("no list of %s in time", kind)
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		domains.Run(running)
	}()
	m.endDomains = func() {
		cancel()
		<-ended
	}
	return nil
}

func (m *Mesh) sayServed(ctx context.Context, have *unstructured.Unstructured) error {
	if seen, _, _ := unstructured.NestedInt64(have.Object, "status", "observedGeneration"); seen == have.GetGeneration() {
		return nil
	}
	o := have.DeepCopy()
	o.Object["status"] = map[string]any{
		"observedGeneration": o.GetGeneration(), "url": "https://" + o.GetName(),
		"conditions": []any{
			map[string]any{"type": "Ready", "status": "True", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)},
		},
	}
	_, err := m.gateway.dynamic.Resource(domainMappings).Namespace(o.GetNamespace()).UpdateStatus(
		ctx, o, metav1.UpdateOptions{},
	)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil // it has changed: that comes as an event of its own
	}
	return err
}
