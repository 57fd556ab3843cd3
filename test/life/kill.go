package life

import (
	"context"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/test/watch"
)

// system is the namespace of the functions, functions selects the two that make the passes.
const (
	system    = "flink-system"
	functions = "serving.knative.dev/service in (reconcile,observe)"
)

// Delete is a Kill for any cluster: it deletes a pod without the grace that its end would have.
func Delete(client dynamic.Interface) func(context.Context, *unstructured.Unstructured) error {
	return func(ctx context.Context, pod *unstructured.Unstructured) error {
		now := int64(0)
		err := client.Resource(Pods).Namespace(pod.GetNamespace()).Delete(
			ctx, pod.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &now},
		)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
}

// component selects the pods of the job's cluster.
func (l *Life) component(name string) string { return "app=" + l.Name + ",component=" + name }

// KillAll kills the pods of a component that run. That there is none is a failure.
func (l *Life) KillAll(t *testing.T, component string) {
	t.Helper()
	list, err := l.Client.Resource(Pods).Namespace(l.Namespace).List(
		t.Context(), metav1.ListOptions{LabelSelector: l.component(component)},
	)
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for i := range list.Items {
		if pod := &list.Items[i]; watch.Text(pod, "status", "phase") == "Running" {
			killed++
			if err := l.Kill(t.Context(), pod); err != nil {
				t.Fatalf("kill %s: %v", pod.GetName(), err)
			}
		}
	}
	if killed == 0 {
		t.Fatalf("no %s ran that could be killed", component)
	}
}

// killStarting kills the JobManager that was just released as soon as it runs.
func (l *Life) killStarting(t *testing.T) {
	t.Helper()
	l.follow(t, Pods, "", l.component("jobmanager")).All("a JobManager begins", 1, func(o watch.Object) bool {
		return watch.Text(o.Unstructured, "status", "phase") == "Running"
	})
	l.KillAll(t, "jobmanager")
}

// whileFunctionsDie kills the pods of the functions, again and again, until what follows is done. Each has a second to
// work in, so that there is always something under way when it dies.
func (l *Life) whileFunctionsDie(t *testing.T, until func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	killed, ended := 0, make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			n, err := l.KillFunctions(ctx)
			killed += n
			if err != nil && ctx.Err() == nil {
				t.Errorf("kill the functions: %v", err)
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	defer func() {
		stop()
		<-ended
		if killed == 0 {
			t.Error("no function was killed")
		}
	}()
	until()
}

// KillFunctions kills the pods of functions that have been ready for a second.
func (l *Life) KillFunctions(ctx context.Context) (killed int, err error) {
	list, err := l.Client.Resource(Pods).Namespace(system).List(ctx, metav1.ListOptions{LabelSelector: functions})
	if err != nil {
		return 0, err
	}
	for i := range list.Items {
		if pod := &list.Items[i]; pod.GetDeletionTimestamp() == nil && readyFor(pod) > time.Second {
			if err := l.Kill(ctx, pod); err != nil {
				return killed, err
			}
			killed++
		}
	}
	return killed, nil
}

// readyFor is how long a pod has been ready; zero when it is not.
func readyFor(pod *unstructured.Unstructured) time.Duration {
	list, _, _ := unstructured.NestedSlice(pod.Object, "status", "conditions")
	for _, item := range list {
		c, _ := item.(map[string]any)
		if at, err := time.Parse(time.RFC3339, fmt.Sprint(c["lastTransitionTime"])); err == nil && c["type"] == "Ready" &&
			c["status"] == "True" {
			return time.Since(at)
		}
	}
	return 0
}
