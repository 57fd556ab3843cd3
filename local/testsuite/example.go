package testsuite

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// Apply makes what is in a file of examples/, in its order, with texts replaced as strings.NewReplacer does. When the
// test has passed it is removed, the last first.
func (n *Namespace) Apply(t *testing.T, file string, replace ...string) {
	t.Helper()
	for _, o := range n.Documents(t, file, replace...) {
		if o.GetKind() == "FlinkDeployment" {
			n.Create(t, o)
			continue
		}
		n.Make(t, n.Name, o)
	}
}

// Make makes an object in a namespace, or in none, and removes it when the test has passed.
func (n *Namespace) Make(t *testing.T, namespace string, o runtime.Object) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		t.Fatal(err)
	}
	made := &unstructured.Unstructured{Object: content}
	kinds, _ := meta.UnsafeGuessKindToResource(made.GroupVersionKind())
	resource := n.Objects.Resource(kinds).Namespace(namespace)
	if _, err := resource.Create(t.Context(), made, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		ctx := context.WithoutCancel(t.Context()) // it is the test's end
		if err := resource.Delete(ctx, made.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		n.Eventually(t, made.GetKind()+" "+made.GetName()+" is gone", func(context.Context) (bool, error) {
			_, err := resource.Get(ctx, made.GetName(), metav1.GetOptions{})
			return apierrors.IsNotFound(err), nil
		})
	})
}

// Documents are the objects of a file of examples/, with texts replaced as strings.NewReplacer does.
func (n *Namespace) Documents(t *testing.T, file string, replace ...string) (all []*unstructured.Unstructured) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.Examples, file))
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range strings.Split(strings.NewReplacer(replace...).Replace(string(text)), "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, o)
	}
	return all
}

// Change is a merge patch of a FlinkDeployment.
func (n *Namespace) Change(t *testing.T, name, patch string) {
	t.Helper()
	if _, err := n.Deployments().Patch(
		t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{},
	); err != nil {
		t.Fatal(err)
	}
}

// Conditions are those of a FlinkDeployment, by type: status, reason and message.
func (n *Namespace) Conditions(t *testing.T, name string) map[string]string {
	t.Helper()
	o, err := n.Deployments().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	told, list := map[string]string{}, []struct{ Type, Status, Reason, Message string }{}
	if text, err := yaml.Marshal(nested(o, "status", "conditions")); err != nil {
		t.Fatal(err)
	} else if err := yaml.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		told[c.Type] = c.Status + " " + c.Reason + ": " + c.Message
	}
	return told
}

// nested is what is at a path of an object; nil where nothing is.
func nested(o *unstructured.Unstructured, path ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	return value
}

// Event waits for one of a FlinkDeployment for a reason, whose message says a text, and returns it.
func (n *Namespace) Event(t *testing.T, name, reason, says string) (found corev1.Event) {
	t.Helper()
	n.Eventually(t, "event "+reason+" of "+name, func(ctx context.Context) (bool, error) {
		list, err := n.Client.CoreV1().Events(n.Name).List(ctx, metav1.ListOptions{
			FieldSelector: "involvedObject.name=" + name + ",reason=" + reason,
		})
		if err != nil {
			return false, err
		}
		for _, event := range list.Items {
			if strings.Contains(event.Message, says) {
				found = event
				return true, nil
			}
		}
		return false, nil
	})
	return found
}

// Log waits until what a container of one of the pods that a selector takes has printed says a text.
func (n *Namespace) Log(t *testing.T, selector, container, says string) {
	t.Helper()
	n.Eventually(t, "a log that says "+says, func(ctx context.Context) (bool, error) {
		for _, pod := range n.Pods(t, selector) {
			text, err := n.Client.CoreV1().Pods(n.Name).GetLogs(
				pod.Name, &corev1.PodLogOptions{Container: container},
			).DoRaw(ctx)
			if err == nil && strings.Contains(string(text), says) { // it may be about to go
				return true, nil
			}
		}
		return false, nil
	})
}
