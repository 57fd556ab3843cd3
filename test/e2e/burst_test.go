//go:build e2e && nightly

package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// burst is how many resources come at once, as in the aims.
const burst = 100

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
