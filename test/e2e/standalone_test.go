//go:build e2e

package e2e

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// TestAReactiveClusterIsScaled scales a standalone cluster in reactive mode, which its job goes through without a start
// of its cluster; its TaskManagers are made again when somebody deletes them, and it goes with a suspension.
func TestAReactiveClusterIsScaled(t *testing.T) {
	const name = "reactive"
	resource, jobManager := kube.resource(t, name, 5*time.Minute), kube.jobManager(t, name, 5*time.Minute)
	taskManagers := kube.jobManager(t, name+"-taskmanager", 5*time.Minute)
	kube.create(t, example(t, "reactive.yaml", name, nil))
	released := jobManager.Until("is released", life.Released)
	jobID, _ := kube.flink(name).TasksRunning(t, "")
	resource.Until("is STABLE", life.State("STABLE"))

	scaled := func(to int64) func(watch.Object) (bool, string) {
		return func(o watch.Object) (bool, string) {
			if o.Unstructured == nil {
				return false, "gone"
			}
			is, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
			return is == to, fmt.Sprintf("%d replicas", is)
		}
	}
	for _, n := range []int64{2, 1} {
		patched := kube.patch(t, name, map[string]any{"taskManager": map[string]any{"replicas": n}})
		at := taskManagers.Until(fmt.Sprintf("has %d replicas", n), scaled(n))
		figures.duration("a reactive cluster is scaled: patch to Deployment scaled", 0, at.At.Sub(patched))
	}
	made := taskManagers.Until("is there", scaled(1))
	if err := kube.in(deployments, space).Delete(t.Context(), name+"-taskmanager", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	taskManagers.Until("is made again", life.Replaced(made))
	if id, _ := kube.flink(name).TasksRunning(t, ""); id != jobID {
		t.Errorf("job %s runs, want %s: nobody asked for another", id, jobID)
	}
	stable := resource.Until("is STABLE", life.State("STABLE"))
	expect(t, "status.jobStatus.jobId", watch.Text(stable.Unstructured, "status", "jobStatus", "jobId"), jobID)
	if jm := jobManager.Until("is there", life.Released); jm.GetUID() != released.GetUID() {
		t.Error("the JobManager was replaced")
	}

	kube.patch(t, name, map[string]any{"job": map[string]any{"state": "suspended"}})
	resource.Until("is SUSPENDED", life.State("SUSPENDED"))
	kube.watch(watch.Deadline(t, time.Minute), t, deployments, space, "", "app="+name).None("Deployments are gone")
	kube.deletesInTime(t, name, "one deletion of a suspended standalone cluster")
}
