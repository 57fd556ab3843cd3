//go:build e2e && nightly

package e2e

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// comeAndGo labels the namespaces of this test.
const comeAndGo = "e2e.example/come-and-go=yes"

// Namespaces of others come and go (E2E_NAMESPACES of them, 100 if unset). Knative starts the adapter of the source
// again for each: a resource that is applied meanwhile is late at the most, and never lost. make nightly runs it.
func TestNamespacesComeAndGo(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv("E2E_NAMESPACES"))
	if err != nil {
		count = 100
	}
	kube.create(t, example(t, "basic.yaml", "beside-namespaces", nil)) // while a job runs, the clock ticks every minute
	kube.resource(t, "beside-namespaces", life.Limit).Until("is STABLE", life.State("STABLE"))
	t.Cleanup(func() { kube.removeNamespaces(t) })
	line := kube.record(t, system, selection{
		pods: {LabelSelector: "eventing.knative.dev/source=apiserver-source-controller"},
	})

	ctx := watch.Deadline(t, 15*time.Minute)
	come := make(chan error, 1)
	go func() {
		for i := range count {
			u := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{
					"name": fmt.Sprintf("come-and-go-%d", i), "labels": map[string]any{"e2e.example/come-and-go": "yes"},
				},
			}}
			if _, err := kube.in(namespaces, "").Create(ctx, u, metav1.CreateOptions{}); err != nil {
				come <- err
				return
			}
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
		come <- nil
	}()
	var took []time.Duration
	for i, comes := 0, true; comes; i++ {
		name := fmt.Sprintf("beside-%d", i)
		_, _, released := applyToRelease(t, name)
		took = append(took, released)
		kube.remove(t, name)
		select {
		case err := <-come:
			if err != nil {
				t.Fatal(err)
			}
			comes = false
		default:
		}
	}
	line.close()
	adapters := map[string]bool{}
	for _, o := range line.seen {
		adapters[o.GetName()] = true
	}
	title := fmt.Sprintf("%d namespaces come, one a second: ", count)
	figures.count(title+"pods of the source's adapter", float64(len(adapters)), -1, "")
	figures.duration(title+"apply to JobManager Deployment released", 0, took...)
	if len(took) == 0 {
		t.Error("nothing was applied meanwhile")
	}
}

// removeNamespaces removes those of this test and waits for their end.
func (c *cluster) removeNamespaces(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	list, err := c.list(ctx, namespaces, "", comeAndGo)
	if err != nil {
		t.Error(err)
	}
	for _, ns := range list {
		err := c.in(namespaces, "").Delete(ctx, ns.GetName(), metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	}
	c.watch(ctx, t, namespaces, "", "", comeAndGo).None("all are gone")
}
