package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/event"
)

// object is the one of a kind and name.
func object(t *testing.T, file, kind, name string) unstructured.Unstructured {
	t.Helper()
	for _, u := range files(t, installation)[file] {
		if u.GetKind() == kind && u.GetName() == name {
			return u
		}
	}
	t.Fatalf("%s has no %s %s", file, kind, name)
	return unstructured.Unstructured{}
}

// pod is the pod template of a Service, without what is taken out: how many requests it takes, for how long, and
// whether it uploads jars.
func pod(t *testing.T, u unstructured.Unstructured) (spec map[string]any, timeout time.Duration, uploads any) {
	t.Helper()
	spec, _, err := unstructured.NestedMap(u.Object, "spec", "template", "spec")
	if err != nil {
		t.Fatal(err)
	}
	seconds, _ := spec["timeoutSeconds"].(float64) // numbers of YAML
	timeout = time.Duration(seconds) * time.Second
	delete(spec, "timeoutSeconds")
	delete(spec, "containerConcurrency")
	container := spec["containers"].([]any)[0].(map[string]any)
	kept := []any{}
	for _, e := range container["env"].([]any) {
		if entry := e.(map[string]any); entry["name"] == "UPLOADS_JARS" {
			uploads = entry["value"]
		} else {
			kept = append(kept, e)
		}
	}
	container["env"] = kept
	return spec, timeout, uploads
}

// Both are one function, and differ in nothing that a change of one of them could forget.
func TestReconcileJarsIsReconcileWithMoreTime(t *testing.T) {
	one, short, asks := pod(t, object(t, "300-reconcile.yaml", "Service", "reconcile"))
	other, long, uploads := pod(t, object(t, "305-reconcile-jars.yaml", "Service", "reconcile-jars"))
	if diff := cmp.Diff(one, other); diff != "" {
		t.Errorf("the pods differ: %s", diff)
	}
	if asks != nil || uploads != "true" {
		t.Errorf("UPLOADS_JARS is %v and %v: one asks, the other uploads", asks, uploads)
	}
	if waits := event.QueueBudget + event.Budget; short <= waits || long <= event.UploadBudget {
		t.Errorf("timeouts %s and %s would cut a pass off, which has %s with its wait, or %s", short, long, waits,
			event.UploadBudget)
	}
	trigger := object(t, "400-triggers.yaml", "Trigger", "reconcile-jars")
	text, _, _ := unstructured.NestedString(trigger.Object, "spec", "delivery", "timeout")
	minutes := strings.ToLower(strings.TrimPrefix(text, "PT")) // of ISO 8601, as in PT10M
	if wait, err := time.ParseDuration(minutes); err != nil || wait < long {
		t.Errorf("the Trigger waits for %q (%v), and its Service may take %s", text, err, long)
	}
}

// An upload holds memory and a connection for as long as the jar takes, so few are taken at once, by few pods. The
// product is what docs/jobs/images-and-jars.md tells.
func TestUploadsAtOnceAreBounded(t *testing.T) {
	const perPod, taken, pods = 16, 64, 3
	u := object(t, "305-reconcile-jars.yaml", "Service", "reconcile-jars")
	spec, _, err := unstructured.NestedMap(u.Object, "spec", "template", "spec")
	if err != nil {
		t.Fatal(err)
	}
	if n := spec["containerConcurrency"]; n != float64(taken) {
		t.Errorf("a pod takes %v events at once, want %d: without a bound, its memory has none", n, taken)
	}
	notes, _, err := unstructured.NestedStringMap(u.Object, "spec", "template", "metadata", "annotations")
	if n := notes["autoscaling.knative.dev/target"]; n != fmt.Sprint(perPod) {
		t.Errorf("another pod starts beyond %q uploads, want %d, as many as one works on", n, perPod)
	}
	if n := notes["autoscaling.knative.dev/max-scale"]; err != nil || n != fmt.Sprint(pods) {
		t.Errorf("%q pods at most (%v), want %d", n, err, pods)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "jobs", "images-and-jars.md"))
	if err != nil {
		t.Fatal(err)
	}
	told := fmt.Sprintf("%d jars: %d to a pod (`autoscaling.knative.dev/target`), %d pods", perPod*pods, perPod, pods)
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), told) {
		t.Errorf("docs/jobs/images-and-jars.md does not say %q", told)
	}
}

// What the functions post to each other is registered, and has a Trigger.
func TestEventsOfTheControlBroker(t *testing.T) {
	for eventType, function := range map[string]string{
		event.TypePassRequested: "reconcile", event.TypeUploadRequested: "reconcile-jars", event.TypeShard: "observe",
	} {
		t.Run(eventType, func(t *testing.T) {
			registered := object(t, "210-eventtypes.yaml", "EventType", eventType)
			broker, _, _ := unstructured.NestedString(registered.Object, "spec", "reference", "name")
			trigger := object(t, "400-triggers.yaml", "Trigger", function)
			to, _, _ := unstructured.NestedString(trigger.Object, "spec", "subscriber", "ref", "name")
			from, _, _ := unstructured.NestedString(trigger.Object, "spec", "broker")
			filters, _, _ := unstructured.NestedSlice(trigger.Object, "spec", "filters")
			if !takes(filters, eventType) || to != function || from != broker || broker != "flink-control" {
				t.Errorf("Broker %s: Trigger of %s leads %v to %s", broker, from, filters, to)
			}
		})
	}
}

// takes reports whether one of the filters is an exact one for the type.
func takes(filters []any, eventType string) bool {
	for _, f := range filters {
		filter := f.(map[string]any)
		if exact, _ := filter["exact"].(map[string]any); exact["type"] == eventType {
			return true
		}
		if any, _ := filter["any"].([]any); takes(any, eventType) {
			return true
		}
	}
	return false
}
