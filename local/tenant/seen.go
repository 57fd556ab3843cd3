package tenant

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

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

// lastLines are how many lines of each log are shown of a test that failed, and allLines are as many as there are.
const (
	lastLines = 20
	allLines  = 0
)

// Printed is what the containers of the pods that a selector takes have printed so far.
func (n *Namespace) Printed(t *testing.T, selector string) string {
	t.Helper()
	return n.printed(t, selector, allLines)
}

func (n *Namespace) printed(t *testing.T, selector string, lines int64) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // it may be the test's end
	var all strings.Builder
	list, err := n.Client.CoreV1().Pods(n.Name).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range list.Items {
		for _, c := range pod.Spec.Containers {
			options := &corev1.PodLogOptions{Container: c.Name}
			if lines != allLines {
				options.TailLines = &lines
			}
			// One that has not started has no log, and one may be about to go.
			text, _ := n.Client.CoreV1().Pods(n.Name).GetLogs(pod.Name, options).DoRaw(ctx)
			all.Write(text)
		}
	}
	return all.String()
}

// Says waits until what the pods that a selector takes have printed says a text.
func (n *Namespace) Says(t *testing.T, selector, text string) {
	t.Helper()
	n.Eventually(t, "a log that says "+text, func(context.Context) (bool, error) {
		return strings.Contains(n.Printed(t, selector), text), nil
	})
}
