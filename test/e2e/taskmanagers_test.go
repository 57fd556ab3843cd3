//go:build e2e && nightly

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// pullFails says that an init container of a pod waits because its image cannot be had.
func pullFails(o watch.Object) (bool, string) {
	if o.Unstructured == nil {
		return false, "there is no pod"
	}
	containers, _, _ := unstructured.NestedSlice(o.Object, "status", "initContainerStatuses")
	return slices.ContainsFunc(containers, func(c any) bool {
		reason, _, _ := unstructured.NestedString(c.(map[string]any), "state", "waiting", "reason")
		return reason == "ErrImagePull" || reason == "ImagePullBackOff"
	}), "no init container waits for its image"
}

// TestAnImageOfTaskManagersThatIsNotThereIsTold gives an init container of the TaskManagers an image that does not
// exist: the status names it while the JobManager runs well. All main containers have the image of the spec.
func TestAnImageOfTaskManagersThatIsNotThereIsTold(t *testing.T) {
	for _, file := range []string{"basic.yaml", "reactive.yaml"} {
		t.Run(file, func(t *testing.T) {
			name := "no-image-" + strings.TrimSuffix(file, ".yaml")
			waits := kube.watch(watch.Deadline(t, life.Limit), t, pods, space, "", "component=taskmanager,app="+name)
			resource := kube.resource(t, name, life.Limit)
			kube.create(t, example(t, file, name, func(u *unstructured.Unstructured) {
				first := []any{map[string]any{"name": "first", "image": "flink:no-such-tag"}}
				if err := unstructured.SetNestedSlice(
					u.Object, first, "spec", "taskManager", "podTemplate", "spec", "initContainers",
				); err != nil {
					t.Fatal(err)
				}
			}))
			failed := waits.Until("cannot pull", pullFails).At
			// Those of a standalone cluster start with its JobManager: until that has the job, nothing waits for them.
			awaited := resource.Until("has a job that waits for its tasks", func(o watch.Object) (bool, string) {
				if o.Unstructured == nil {
					return false, "there is no FlinkDeployment"
				}
				state := watch.Text(o.Unstructured, "status", "jobStatus", "state")
				return state == "CREATED", "the job is " + state
			}).At
			if awaited.After(failed) {
				failed = awaited
			}
			told := resource.Until("tells the image", func(o watch.Object) (bool, string) {
				if o.Unstructured == nil {
					return false, "there is no FlinkDeployment"
				}
				status, reason, message := condition(o.Unstructured, "Stalled")
				return status == "True" && strings.Contains(message, "no-such-tag"),
					fmt.Sprintf("Stalled is %s, %s: %s", status, reason, message)
			})
			figures.duration("TaskManagers without an image ("+file+"): told in status", 6*time.Second,
				max(0, told.At.Sub(failed)))
			if status := watch.Text(told.Unstructured, "status", "jobManagerDeploymentStatus"); status != "READY" {
				t.Errorf("the JobManager is %s, and nothing is wrong with it", status)
			}
		})
	}
}

// TestStandaloneApplyToReleaseWarm measures what TestApplyToReleaseWarm does, of clusters whose TaskManagers are a
// Deployment of their own.
func TestStandaloneApplyToReleaseWarm(t *testing.T) {
	var took []time.Duration
	for i := range 11 {
		name := fmt.Sprintf("standalone-%d", i)
		jobManager := kube.jobManager(t, name, time.Minute)
		made := kube.create(t, example(t, "reactive.yaml", name, homeless(t)))
		released := jobManager.Until("is released", life.Released).At.Sub(made.At)
		if released <= 0 {
			t.Errorf("measurement %d makes no sense: %s", i, released)
		}
		if i > 0 { // the first one wakes the functions
			took = append(took, released)
		}
		kube.remove(t, name)
	}
	figures.duration("standalone: apply to JobManager Deployment released, functions warm", 400*time.Millisecond, took...)
}
