package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// inZone is how many JobManagers a zone has.
const inZone = 500

// zone loses the first JobManagers by name at the same time, and then gives them back: their pods are not ready, as the
// node lifecycle controller leaves them when their nodes are not heard of, and refuse connections.
func zone(ctx context.Context, r *run) (string, error) {
	var all []types.NamespacedName
	for i := range min(inZone, r.result.Counts.Applications/2) {
		at := stampOf(nameOf("app", i), i)
		all = append(all, types.NamespacedName{Namespace: at.namespace, Name: at.name})
	}
	r.excuse(len(all))
	told, err := r.inStatus(ctx, all, false)
	if err != nil { // what comes after begins with all of them
		return fmt.Sprintf("%d JobManagers lost", len(all)), errors.Join(err, r.makeReady(context.WithoutCancel(ctx), all, true))
	}
	back, err := r.inStatus(ctx, all, true)
	return fmt.Sprintf("%d JobManagers lost: all told in status after %s; given back: all STABLE after %s", len(all),
		told.Round(time.Second/10), back.Round(time.Second/10)), err
}

// inStatus makes JobManagers ready or not, and returns how long it took until each status says so.
func (r *run) inStatus(ctx context.Context, all []types.NamespacedName, ready bool) (time.Duration, error) {
	waits := map[types.NamespacedName]bool{}
	for _, at := range all {
		waits[at] = true
	}
	none, err := r.dynamic.Resource(deployments).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0, err
	}
	w, err := r.dynamic.Resource(deployments).Watch(ctx, metav1.ListOptions{ResourceVersion: none.GetResourceVersion()})
	if err != nil {
		return 0, err
	}
	defer w.Stop()
	began, done := time.Now(), make(chan error, 1)
	go func() { done <- r.makeReady(ctx, all, ready) }()
	for len(waits) > 0 {
		select {
		case e, is := <-w.ResultChan():
			u, object := e.Object.(*unstructured.Unstructured)
			switch {
			case !is || !object:
				return 0, fmt.Errorf("the watch ended, and %d of %d statuses do not say it yet", len(waits), len(all))
			case tellsReady(u) == ready:
				delete(waits, types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()})
			}
		case err := <-done:
			if err != nil {
				return 0, err
			}
			done = nil
		case <-ctx.Done():
			return 0, fmt.Errorf("%d of %d statuses do not say it yet: %w", len(waits), len(all), ctx.Err())
		}
	}
	return time.Since(began), nil
}

// tellsReady reports whether a status says that the JobManager can be reached and the job runs.
func tellsReady(u *unstructured.Unstructured) bool {
	jobManager, _, _ := unstructured.NestedString(u.Object, "status", "jobManagerDeploymentStatus")
	lifecycle, _, _ := unstructured.NestedString(u.Object, "status", "lifecycleState")
	return jobManager == "READY" && lifecycle == "STABLE"
}

// makeReady has the JobManagers of applications answer or not, and their pods say so.
func (r *run) makeReady(ctx context.Context, all []types.NamespacedName, ready bool) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for _, at := range all {
		group.Go(func() error { return r.makeOneReady(inner, at, ready) })
	}
	return group.Wait()
}

func (r *run) makeOneReady(ctx context.Context, at types.NamespacedName, ready bool) error {
	r.flink.change(hostOfCluster(at.Namespace, at.Name), func(c *clusterAnswers) { c.gone = !ready })
	pods := r.kubelet.typed.CoreV1().Pods(at.Namespace)
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "component=jobmanager,app=" + at.Name})
	if err != nil {
		return err
	}
	if len(list.Items) != 1 {
		return fmt.Errorf("%s has %d JobManager pods", at, len(list.Items))
	}
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	patch := fmt.Appendf(nil, `{"status":{"conditions":[{"type":"Ready","status":%q,"lastTransitionTime":%q}]}}`, status,
		time.Now().UTC().Format(time.RFC3339))
	_, err = pods.Patch(ctx, list.Items[0].Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
