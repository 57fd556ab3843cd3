package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// fieldManager owns what is applied, as with hack/deploy.sh.
const fieldManager = "kn-flink"

// look lies between two looks at what is to become ready.
const look = 50 * time.Millisecond

// installer applies objects.
type installer struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

func newInstaller(config *rest.Config) (*installer, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return &installer{
		client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds)),
	}, nil
}

func (i *installer) resource(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := o.GroupVersionKind()
	mapping, err := i.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		i.mapper.Reset() // it may be new
		mapping, err = i.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return i.client.Resource(mapping.Resource).Namespace(o.GetNamespace()), nil
	}
	return i.client.Resource(mapping.Resource), nil
}

func title(o *unstructured.Unstructured) string {
	return strings.TrimPrefix(o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName(), "/")
}

// addSettings puts lines into config.yaml of the user's settings, of which the files say nothing.
func addSettings(objects []*unstructured.Unstructured, more string) error {
	for _, o := range objects {
		if o.GetKind() != "ConfigMap" || o.GetName() != "flink-operator-config" {
			continue
		}
		if err := unstructured.SetNestedField(o.Object, more, "data", "config.yaml"); err != nil {
			return err
		}
	}
	return nil
}

// apply makes objects what the files say, by server-side apply:
//
//	the settings (ConfigMap flink-operator-config) | only if there are none: a person's change stays
//	a Job whose template has changed               | is made anew
//	everything else                                | the files win
func (i *installer) apply(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		resource, err := i.resource(o)
		if err != nil {
			return fmt.Errorf("apply %s: %w", title(o), err)
		}
		if o.GetKind() == "ConfigMap" && o.GetName() == "flink-operator-config" {
			if _, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{}); err == nil {
				continue
			}
		}
		err = i.applyOne(ctx, resource, o)
		if apierrors.IsInvalid(err) && o.GetKind() == "Job" {
			if err := i.remove(ctx, resource, o); err != nil {
				return err
			}
			err = i.applyOne(ctx, resource, o)
		}
		if err != nil {
			return fmt.Errorf("apply %s: %w", title(o), err)
		}
	}
	return nil
}

func (i *installer) applyOne(
	ctx context.Context, resource dynamic.ResourceInterface, o *unstructured.Unstructured,
) error {
	body, err := json.Marshal(o.Object)
	if err != nil {
		return err
	}
	yes := true
	_, err = resource.Patch(
		ctx, o.GetName(), types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: fieldManager, Force: &yes},
	)
	return err
}

// remove returns when the object is gone.
func (i *installer) remove(
	ctx context.Context, resource dynamic.ResourceInterface, o *unstructured.Unstructured,
) error {
	background := metav1.DeletePropagationBackground
	if err := resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{PropagationPolicy: &background}); err != nil &&
		!apierrors.IsNotFound(err) {
		return err
	}
	return await(ctx, title(o)+" gone", func() (bool, string) {
		_, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
		return apierrors.IsNotFound(err), "it is still there"
	})
}

// await calls done until it is true. Its second value is what is missing.
func await(ctx context.Context, what string, done func() (bool, string)) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		ok, missing := done()
		if ok {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %s: %w", what, missing, ctx.Err())
		}
	}
}

// condition is what makes an object of a kind count as ready; a kind that is not here always is.
var condition = map[string]string{
	"CustomResourceDefinition": "Established",
	"Service.serving":          "Ready",
	"Broker":                   "Ready",
	"Trigger":                  "Ready",
	"ApiServerSource":          "Ready",
	"PingSource":               "Ready",
	"DomainMapping":            "Ready",
	"Job":                      "Complete",
}

// ready waits until all objects are.
func (i *installer) ready(
	ctx context.Context, objects []*unstructured.Unstructured, progress func(string, int64, int64),
) error {
	for _, o := range objects {
		kind := o.GetKind()
		if o.GroupVersionKind().Group == "serving.knative.dev" && kind == "Service" {
			kind = "Service.serving"
		}
		wanted, ok := condition[kind]
		if !ok {
			continue
		}
		progress("wait for "+title(o), 0, 0)
		resource, err := i.resource(o)
		if err != nil {
			return err
		}
		if err := await(ctx, title(o), func() (bool, string) {
			return isTrue(ctx, resource, o.GetName(), wanted)
		}); err != nil {
			return err
		}
	}
	return nil
}

// isTrue looks at a condition of an object. An observedGeneration that is behind speaks of an earlier one.
func isTrue(ctx context.Context, resource dynamic.ResourceInterface, name, wanted string) (bool, string) {
	have, err := resource.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, err.Error()
	}
	if seen, ok, _ := unstructured.NestedInt64(have.Object, "status", "observedGeneration"); ok &&
		seen < have.GetGeneration() {
		return false, "its change has not been seen"
	}
	conditions, _, _ := unstructured.NestedSlice(have.Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == wanted {
			return c["status"] == "True", fmt.Sprintf("%s is %v: %v %v", wanted, c["status"], c["reason"], c["message"])
		}
	}
	return false, "it has no condition " + wanted
}

// namespacesOfOthers are Knative's, which the files count on.
func namespacesOfOthers() []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, name := range []string{"knative-eventing", "kourier-system"} {
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		o.SetName(name)
		out = append(out, o)
	}
	return out
}

// Tenant lets Flink jobs run in a namespace that is there, as `make tenant` does.
func (p *Platform) Tenant(ctx context.Context, namespace string) error {
	objects, err := readObjects(filepath.Join(p.options.Checkout, "config/tenant/tenant.yaml"), func(text string) string {
		return strings.ReplaceAll(text, "${NAMESPACE}", namespace)
	})
	if err != nil {
		return err
	}
	return p.installer.apply(ctx, objects)
}
