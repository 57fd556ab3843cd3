//go:build e2e && nightly

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

var podAutoscalers = schema.GroupVersionResource{
	Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers",
}

// podAutoscaler is the second object of examples/hpa.yaml, without a wait before it scales down.
func podAutoscaler(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile("../../examples/hpa.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, second, found := bytes.Cut(data, []byte("\n---\n"))
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(second, &u.Object); err != nil || !found {
		t.Fatalf("examples/hpa.yaml has no second object: %v", err)
	}
	u.SetNamespace(space)
	set(t, u, int64(0), "spec", "behavior", "scaleDown", "stabilizationWindowSeconds")
	return u
}

// usage is a patch of an autoscaler's spec: the CPU time that each TaskManager is to use.
func usage(cpu string) []byte {
	return fmt.Appendf(nil, `{"spec":{"metrics":[{"type":"Resource","resource":`+
		`{"name":"cpu","target":{"type":"AverageValue","averageValue":%q}}}]}}`, cpu)
}

// needMetricsServer fails a test that nothing would happen in without it.
func needMetricsServer(t *testing.T) {
	t.Helper()
	if _, err := kube.raw(t.Context(), "/apis/metrics.k8s.io/v1beta1/nodes"); err != nil {
		t.Fatalf("this test needs metrics-server (test/cluster/cluster metrics): %v", err)
	}
}

// TestAHorizontalPodAutoscalerScales has the controller of Kubernetes scale a reactive cluster by what metrics-server
// measures: more TaskManagers, then fewer, and the job goes on in the same JobManager.
func TestAHorizontalPodAutoscalerScales(t *testing.T) {
	needMetricsServer(t)
	const name = "hpa"
	kube.create(t, example(t, "hpa.yaml", name, nil))
	resource := kube.resource(t, name, 15*time.Minute)
	resource.Until("is STABLE", life.State("STABLE"))
	released := kube.jobManager(t, name, life.Limit).Until("exists", life.Released)
	jobID, _ := kube.flink(name).TasksRunning(t, "")

	autoscaler := podAutoscaler(t)
	autoscalers := kube.in(podAutoscalers, space)
	if _, err := autoscalers.Create(t.Context(), autoscaler, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := autoscalers.Delete(ctx, autoscaler.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	replicas := func(wanted int64) func(watch.Object) (bool, string) {
		return func(o watch.Object) (bool, string) {
			if o.Unstructured == nil {
				return false, "gone"
			}
			asked, _, _ := unstructured.NestedInt64(o.Object, "spec", "taskManager", "replicas")
			told, _, _ := unstructured.NestedInt64(o.Object, "status", "taskManager", "replicas")
			return asked == wanted && told == wanted, fmt.Sprintf("%d TaskManagers asked for, %d in status", asked, told)
		}
	}
	for _, step := range []struct {
		cpu      string // for each TaskManager: less than any uses, and more
		replicas int64
	}{{"1m", 3}, {"4", 1}} {
		patched := time.Now()
		if _, err := autoscalers.Patch(
			t.Context(), autoscaler.GetName(), types.MergePatchType, usage(step.cpu), metav1.PatchOptions{},
		); err != nil {
			t.Fatal(err)
		}
		at := resource.Until(fmt.Sprintf("has %d TaskManagers", step.replicas), replicas(step.replicas))
		figures.duration(
			fmt.Sprintf("a HorizontalPodAutoscaler scales to %d TaskManagers", step.replicas), 0, at.At.Sub(patched),
		)
		if id, _ := kube.flink(name).TasksRunning(t, ""); id != jobID {
			t.Errorf("job %s runs, want %s: nobody asked for another", id, jobID)
		}
	}
	resource.Until("is STABLE", life.State("STABLE"))
	if jm := kube.jobManager(t, name, life.Limit).Until("is there", life.Released); jm.GetUID() != released.GetUID() {
		t.Error("the JobManager was replaced")
	}
}
