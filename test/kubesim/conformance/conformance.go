package conformance

import (
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// Cluster is an API server that serves the four kinds and PingSources, with the controllers that collect garbage, empty
// namespaces and look after Deployments. What is bound to node-1 runs there, and is ready unless its image says
// NeverReady; a pod that is deleted there has failed before it is gone. On another node nothing runs.
type Cluster struct {
	// Client has all rights.
	Client dynamic.Interface
	// Namespace makes a new namespace.
	Namespace func(*testing.T) string
	// Eventually lets the controllers and the node work until the condition holds, and fails the test if it never does.
	Eventually func(t *testing.T, what string, holds func() bool)
	// Recorded fails the test if an answer is not as testdata of this package has it under that name. What differs from
	// run to run was replaced in the text.
	Recorded func(t *testing.T, name, answer string)
}

// Run runs every test. Each has what start returns, so that tests of a model share nothing.
func Run(t *testing.T, start func(*testing.T) Cluster) {
	for _, group := range []map[string]func(*bench){writes, applies, removals, lists, deployments, adoptions} {
		for name, run := range group {
			t.Run(name, func(t *testing.T) { run(begin(t, start)) })
		}
	}
	t.Run("refusals", func(t *testing.T) { refused(t, start) })
}

// bench is one test in a namespace of its own.
type bench struct {
	*testing.T
	Cluster
	start     func(*testing.T) Cluster
	namespace string
}

func begin(t *testing.T, start func(*testing.T) Cluster) *bench {
	t.Parallel()
	cluster := start(t)
	return &bench{t, cluster, start, cluster.Namespace(t)}
}

// row runs one row of a table in a namespace of its own.
func (b *bench) row(name string, run func(*bench)) {
	b.Run(name, func(t *testing.T) { run(begin(t, b.start)) })
}

func (b *bench) on(gvr schema.GroupVersionResource) dynamic.ResourceInterface {
	return b.Client.Resource(gvr).Namespace(b.namespace)
}

func (b *bench) create(gvr schema.GroupVersionResource, u *unstructured.Unstructured) *unstructured.Unstructured {
	b.Helper()
	made, err := b.on(gvr).Create(b.Context(), u, metav1.CreateOptions{})
	if err != nil {
		b.Fatalf("create %s: %v", u.GetName(), err)
	}
	return made
}

// get returns nil for what is not there.
func (b *bench) get(gvr schema.GroupVersionResource, name string) *unstructured.Unstructured {
	b.Helper()
	u, err := b.on(gvr).Get(b.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		b.Fatalf("get %s: %v", name, err)
	}
	return u
}

// read returns what must be there.
func (b *bench) read(gvr schema.GroupVersionResource, name string) *unstructured.Unstructured {
	b.Helper()
	u := b.get(gvr, name)
	if u == nil {
		b.Fatalf("%s %s is gone", gvr.Resource, name)
	}
	return u
}

func (b *bench) merge(
	gvr schema.GroupVersionResource, name, text string, below ...string,
) (*unstructured.Unstructured, error) {
	return b.on(gvr).Patch(b.Context(), name, types.MergePatchType, []byte(text), metav1.PatchOptions{}, below...)
}

func (b *bench) mustMerge(
	gvr schema.GroupVersionResource, name, text string, below ...string,
) *unstructured.Unstructured {
	b.Helper()
	u, err := b.merge(gvr, name, text, below...)
	if err != nil {
		b.Fatalf("patch %s with %s: %v", name, text, err)
	}
	return u
}

func (b *bench) remove(gvr schema.GroupVersionResource, name string, options metav1.DeleteOptions) {
	b.Helper()
	if err := b.on(gvr).Delete(b.Context(), name, options); err != nil {
		b.Fatalf("delete %s: %v", name, err)
	}
}

func (b *bench) eventually(what string, holds func() bool) {
	b.Helper()
	b.Eventually(b.T, what, holds)
}

// left says which of some objects, each as resource/name, are there, "-" behind those that are being deleted.
func (b *bench) left(objects ...string) []string {
	b.Helper()
	found := []string{}
	for _, object := range objects {
		plural, name, _ := strings.Cut(object, "/")
		i := slices.IndexFunc(known, func(gvr schema.GroupVersionResource) bool { return gvr.Resource == plural })
		u := b.get(known[i], name)
		switch {
		case u == nil:
		case u.GetDeletionTimestamp() != nil:
			found = append(found, object+"-")
		default:
			found = append(found, object)
		}
	}
	return found
}

// awaits waits until exactly these objects are left of those that were named without "-".
func (b *bench) awaits(why string, objects []string, want ...string) {
	b.Helper()
	defer func() {
		if b.Failed() {
			b.Logf("there are %s", strings.Join(b.left(objects...), " "))
		}
	}()
	b.eventually(why+": "+strings.Join(want, " "), func() bool { return slices.Equal(b.left(objects...), want) })
}
