package tenant

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
)

// Objects are those of a text in YAML.
func Objects(t *testing.T, text []byte) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if o.Object != nil {
			all = append(all, o)
		}
	}
}

// File has the objects of a file of examples/, with texts replaced as strings.NewReplacer does.
func (n *Namespace) File(t *testing.T, file string, replace ...string) []*unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.Examples, file))
	if err != nil {
		t.Fatal(err)
	}
	return Objects(t, []byte(strings.NewReplacer(replace...).Replace(string(text))))
}

// Of is where objects of the kind of one are.
func (n *Namespace) Of(o *unstructured.Unstructured) dynamic.ResourceInterface {
	return n.at(o, n.Name)
}

func (n *Namespace) at(o *unstructured.Unstructured, namespace string) dynamic.ResourceInterface {
	resource, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
	return n.Objects.Resource(resource).Namespace(namespace)
}

// Apply makes objects what is said, as kubectl apply --server-side does. When the test has passed they are removed, the
// last first; of one that failed they stay, with their pods and logs.
func (n *Namespace) Apply(t *testing.T, objects ...*unstructured.Unstructured) {
	t.Helper()
	for _, o := range objects {
		n.apply(t, n.Name, o)
	}
}

// Make is Apply in another namespace, or in none.
func (n *Namespace) Make(t *testing.T, namespace string, o runtime.Object) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		t.Fatal(err)
	}
	n.apply(t, namespace, &unstructured.Unstructured{Object: content})
}

func (n *Namespace) apply(t *testing.T, namespace string, o *unstructured.Unstructured) {
	t.Helper()
	if _, err := n.at(o, namespace).Apply(
		t.Context(), o.GetName(), o, metav1.ApplyOptions{FieldManager: "test", Force: true},
	); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s:\n%s", o.GetName(), n.printed(t, "app="+o.GetName(), lastLines))
			return
		}
		n.remove(t, namespace, o)
	})
}

// remove waits until an object is gone, and all that was made for it.
func (n *Namespace) remove(t *testing.T, namespace string, o *unstructured.Unstructured) {
	t.Helper()
	if o.GetKind() == "FlinkDeployment" {
		n.Remove(t, o.GetName())
		return
	}
	ctx := context.WithoutCancel(t.Context()) // it is the test's end
	resource := n.at(o, namespace)
	if err := resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	n.Eventually(t, o.GetKind()+" "+o.GetName()+" is gone", func(context.Context) (bool, error) {
		_, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}
