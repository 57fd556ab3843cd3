//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// homeless gives a resource a node selector that no node has: its objects are made, its pods wait, no JVM takes the CPU
// that is measured.
func homeless(t *testing.T) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) {
		options := map[string]any{}
		for _, component := range []string{"jobmanager", "taskmanager"} {
			options["kubernetes."+component+".node-selector"] = "e2e.example/none:none"
		}
		set(t, u, options, "spec", "flinkConfiguration")
	}
}

// functionPods are the pods of one function, by name, that are not on their way out.
func functionPods(ctx context.Context, t *testing.T, function string) *watch.Watcher {
	t.Helper()
	return kube.watch(ctx, t, pods, system, "", "serving.knative.dev/service="+function)
}

// asleep waits until a function has no pod.
func asleep(t *testing.T, function string, limit time.Duration) {
	t.Helper()
	functionPods(watch.Deadline(t, limit), t, function).None(function + " is at zero")
}

// applyToRelease makes a resource, and measures until it is stored and until its JobManager Deployment is released.
func applyToRelease(t *testing.T, name string) (asked time.Time, stored, released time.Duration) {
	t.Helper()
	jobManager := kube.jobManager(t, name, time.Minute)
	made := kube.create(t, example(t, "basic.yaml", name, homeless(t)))
	stored = time.Since(made.At)
	return made.At, stored, jobManager.Until("is released", life.Released).At.Sub(made.At)
}

func TestApplyToReleaseWarm(t *testing.T) {
	applyToRelease(t, "warm-up")
	var took, gone []time.Duration
	for i := range 10 {
		name := fmt.Sprintf("warm-%d", i)
		_, _, released := applyToRelease(t, name)
		took = append(took, released)
		gone = append(gone, kube.remove(t, name))
	}
	figures.duration("apply to JobManager Deployment released, functions warm", 350*time.Millisecond, took...)
	figures.duration("one deletion of a cluster without pods", 3*time.Second, gone...)
	for i, d := range took {
		if d <= 0 || gone[i] <= 0 {
			t.Errorf("measurement %d makes no sense: %s up, %s down", i, d, gone[i])
		}
	}
}
