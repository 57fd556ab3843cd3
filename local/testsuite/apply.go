package testsuite

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"
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
	resource, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
	return n.Objects.Resource(resource).Namespace(n.Name)
}

// Apply makes objects what is said, as kubectl apply --server-side does. When the test ends, they are removed, the last
// first.
func (n *Namespace) Apply(t *testing.T, objects ...*unstructured.Unstructured) {
	t.Helper()
	for _, o := range objects {
		if _, err := n.Of(o).Apply(
			t.Context(), o.GetName(), o, metav1.ApplyOptions{FieldManager: "test", Force: true},
		); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if t.Failed() { // its pods and their logs go with it
				t.Logf("%s:\n%s", o.GetName(), n.printed(t, "app="+o.GetName(), ptr.To(int64(lastLines))))
			}
			n.delete(t, o)
		})
	}
}

// delete waits until an object is gone, and all that was made for it.
func (n *Namespace) delete(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	if o.GetKind() == "FlinkDeployment" {
		n.Remove(t, o.GetName())
		return
	}
	ctx := context.WithoutCancel(t.Context()) // it may be the test's end
	if err := n.Of(o).Delete(ctx, o.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	n.Eventually(t, o.GetKind()+" "+o.GetName()+" is gone", func(context.Context) (bool, error) {
		_, err := n.Of(o).Get(ctx, o.GetName(), metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

// lastLines are how many lines of each log are shown of a test that failed.
const lastLines = 20

// Printed is what the containers of the pods that a selector takes have printed so far.
func (n *Namespace) Printed(t *testing.T, selector string) string {
	t.Helper()
	return n.printed(t, selector, nil)
}

func (n *Namespace) printed(t *testing.T, selector string, lines *int64) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // it may be the test's end
	var all strings.Builder
	list, err := n.Client.CoreV1().Pods(n.Name).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range list.Items {
		for _, c := range pod.Spec.Containers {
			// One that has not started has no log.
			text, _ := n.Client.CoreV1().Pods(n.Name).GetLogs(
				pod.Name, &corev1.PodLogOptions{Container: c.Name, TailLines: lines},
			).DoRaw(ctx)
			all.Write(text)
		}
	}
	return all.String()
}
