//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// burst is how many resources come at once, as in the aims.
const burst = 100

// homeless gives a resource a node selector that no node has: its objects are made, its pods wait, no JVM takes the CPU
// that is measured.
func homeless(t *testing.T) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) {
		set(
			t, u, map[string]any{"kubernetes.jobmanager.node-selector": "e2e.example/none:none"}, "spec",
			"flinkConfiguration",
		)
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

// From zero, admit wakes up before the resource is stored, and reconcile before its JobManager is released: where the
// time of each goes is in the log.
func TestApplyToReleaseFromZero(t *testing.T) {
	var accepted, took []time.Duration
	for i := range 3 {
		asleep(t, "reconcile", 4*time.Minute)
		asleep(t, "admit", 4*time.Minute)
		name := fmt.Sprintf("cold-%d", i)
		line := kube.record(t, system, selection{pods: {LabelSelector: "serving.knative.dev/service"}})
		asked, stored, released := applyToRelease(t, name)
		line.close()
		accepted, took = append(accepted, stored), append(took, released)
		for _, function := range []string{"admit", "reconcile"} {
			printMoments(t, "waking up, run "+name, asked, line.waking(function))
		}
		if kube.remove(t, name) <= 0 {
			t.Fatalf("%s could not be deleted", name)
		}
	}
	figures.duration("apply to resource stored, from zero", 1500*time.Millisecond, accepted...)
	figures.duration("apply to JobManager Deployment released, from zero", 2*time.Second, took...)
}

func TestHundredAtOnce(t *testing.T) {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := removeLeftovers(ctx); err != nil {
			t.Error(err)
		}
	})
	ctx := watch.Deadline(t, 5*time.Minute)
	jobManagers := kube.watch(ctx, t, deployments, space, "", "component=jobmanager")
	resources := kube.watch(ctx, t, life.Resources, space, "", "")
	memory := sampleMemory(ctx, t)

	started := time.Now()
	each(t, func(name string) error {
		_, err := kube.in(life.Resources, space).Create(
			ctx, example(t, "basic.yaml", name, homeless(t)), metav1.CreateOptions{},
		)
		return err
	})
	figures.duration("100 at once: all accepted", 0, time.Since(started))
	last := jobManagers.All("all exist", burst, func(o watch.Object) bool { return true })
	figures.duration("100 at once: all JobManager Deployments exist", 8*time.Second, last.Sub(started))
	last = jobManagers.All("all are life.Released", burst, func(o watch.Object) bool {
		ok, _ := life.Released(o)
		return ok
	})
	figures.duration("100 at once: all JobManager Deployments released", 0, last.Sub(started))
	resources.All("all statuses are written", burst, func(o watch.Object) bool {
		return watch.Text(o.Unstructured, "status", "lifecycleState") == "DEPLOYED"
	})

	started = time.Now()
	each(t, func(name string) error {
		return kube.in(life.Resources, space).Delete(ctx, name, metav1.DeleteOptions{})
	})
	resources.None("all FlinkDeployments are gone")
	jobManagers.None("all Deployments are gone")
	kube.watch(ctx, t, services, space, "", "type=flink-native-kubernetes").None("all services are gone")
	gone := kube.watch(ctx, t, configMaps, space, "", "type=flink-native-kubernetes").None("all ConfigMaps are gone")
	figures.duration("100 deleted at once: all of them and their objects gone", 12*time.Second, gone.Sub(started))
	memory.report()
}

// each does one call for each resource of the burst, twenty at a time.
func each(t *testing.T, call func(name string) error) {
	t.Helper()
	names, wait := make(chan string), sync.WaitGroup{}
	for range 20 {
		wait.Go(func() {
			for name := range names {
				if err := call(name); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	for i := range burst {
		names <- fmt.Sprintf("burst-%03d", i)
	}
	close(names)
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
}
