package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/local/mesh"
)

const (
	jobManager  = "jobmanager"
	taskManager = "taskmanager"
)

// disturbances carry out the verbs of chaos.Disturbances.
var disturbances = map[string]func(ctx context.Context, r *run, n int) error{
	"wait": func(ctx context.Context, _ *run, n int) error {
		pause(ctx, time.Duration(n)*time.Second/4)
		return nil
	},
	"steady":           func(ctx context.Context, r *run, _ int) error { return r.steady(ctx) },
	"delete":           func(ctx context.Context, r *run, _ int) error { return r.remove(ctx) },
	"crash-jobmanager": func(ctx context.Context, r *run, n int) error { return r.kill(ctx, n%2 == 1, jobManager) },
	"kill-taskmanager": func(ctx context.Context, r *run, n int) error { return r.kill(ctx, n%2 == 1, taskManager) },
	"stop-jobmanager":  func(ctx context.Context, r *run, _ int) error { return r.stop(ctx, jobManager) },
	"stop-taskmanager": func(ctx context.Context, r *run, _ int) error { return r.stop(ctx, taskManager) },
	"stop-both":        func(ctx context.Context, r *run, n int) error { return r.stop(ctx, both(n)...) },
	"kill-both":        func(ctx context.Context, r *run, n int) error { return r.kill(ctx, true, both(n)...) },
	"lose-deployment": func(ctx context.Context, r *run, _ int) error {
		background := metav1.DeletePropagationBackground
		options := metav1.DeleteOptions{PropagationPolicy: &background}
		return ignoreGone(r.arena.objects.Resource(deployments).Namespace(namespace).Delete(ctx, r.name, options))
	},
	"lose-taskmanagers": func(ctx context.Context, r *run, _ int) error {
		client := r.arena.objects.Resource(deployments).Namespace(namespace)
		return ignoreGone(client.Delete(ctx, r.name+"-taskmanager", metav1.DeleteOptions{}))
	},
	"scale-by-hand": func(ctx context.Context, r *run, n int) error {
		to := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, n%3)
		client := r.arena.objects.Resource(deployments).Namespace(namespace)
		_, err := client.Patch(ctx, r.name+"-taskmanager", types.MergePatchType, to, metav1.PatchOptions{})
		return ignoreGone(err)
	},
	"cancel":   func(ctx context.Context, r *run, _ int) error { return r.cancel(ctx) },
	"fail-job": func(_ context.Context, r *run, _ int) error { return touch(r.place.Ledger + ".fail") },
	"failing": func(_ context.Context, r *run, _ int) error {
		return touch(r.place.Ledger + ".failing")
	},
	"fixed":    func(_ context.Context, r *run, _ int) error { return os.RemoveAll(r.place.Ledger + ".failing") },
	"snapshot": func(ctx context.Context, r *run, n int) error { return r.take(ctx, n) },
	"crash": func(ctx context.Context, r *run, n int) error {
		pause(ctx, time.Duration(n)*time.Second/10)
		return r.killFunctions(ctx)
	},
	"lose-events": func(_ context.Context, r *run, n int) error {
		r.arena.disturb(mesh.Faults{Drop: 1}, time.Duration(1+n)*time.Second/2)
		return nil
	},
	"disorder": func(_ context.Context, r *run, n int) error {
		f := mesh.Faults{Seed: uint64(n), Double: 0.3, Delay: 0.3, DelayUpTo: 2 * time.Second, Reorder: 0.3}
		r.arena.disturb(f, time.Duration(1+n)*time.Second/2)
		return nil
	},
}

func touch(path string) error { return os.WriteFile(path, nil, 0o666) }

func both(n int) []string {
	if n%2 == 0 {
		return []string{jobManager, taskManager}
	}
	return []string{taskManager, jobManager}
}

func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// pods are those of the resource's cluster that are not ending; of one component, or of all if none is named.
func (r *run) pods(ctx context.Context, component string) ([]unstructured.Unstructured, error) {
	selector := "app=" + r.name
	if r.paired {
		selector = "app in (" + r.name + "-blue," + r.name + "-green)"
	}
	if component != "" {
		selector += ",component=" + component
	}
	options := metav1.ListOptions{LabelSelector: selector}
	list, err := r.arena.objects.Resource(pods).Namespace(namespace).List(ctx, options)
	if err != nil {
		return nil, err
	}
	if component == "" {
		return list.Items, nil
	}
	ending := func(u unstructured.Unstructured) bool { return u.GetDeletionTimestamp() != nil }
	return slices.DeleteFunc(list.Items, ending), nil
}

// kill ends the processes of components by SIGKILL, and deletes their pods where that is asked for: a kubelet waits
// longer and longer before it starts the same one again.
func (r *run) kill(ctx context.Context, remove bool, components ...string) error {
	for _, component := range components {
		list, err := r.pods(ctx, component)
		if err != nil {
			return err
		}
		for i := range list {
			r.logf("  SIGKILL for %s: %v", list[i].GetName(), r.arena.local.Node().Kill(list[i].GetUID()))
		}
		for i := range list {
			if remove {
				if err := r.arena.delete(ctx, &list[i], 0); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// stop deletes the pods of components, with the grace that they ask for.
func (r *run) stop(ctx context.Context, components ...string) error {
	var all []unstructured.Unstructured
	for _, component := range components {
		list, err := r.pods(ctx, component)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	for i := range all {
		r.logf("  SIGTERM for %s", all[i].GetName())
		if err := r.arena.delete(ctx, &all[i], -1); err != nil {
			return err
		}
	}
	return nil
}

// delete deletes a pod. A negative grace in seconds is the pod's own.
func (a *Arena) delete(ctx context.Context, pod *unstructured.Unstructured, grace int64) error {
	options := metav1.DeleteOptions{}
	if grace >= 0 {
		options.GracePeriodSeconds = &grace
	}
	return ignoreGone(a.objects.Resource(pods).Namespace(pod.GetNamespace()).Delete(ctx, pod.GetName(), options))
}

// killFunctions kills those that make the passes, whatever they do just now.
func (r *run) killFunctions(ctx context.Context) error {
	options := metav1.ListOptions{LabelSelector: "serving.knative.dev/service in (reconcile,reconcile-jars,observe)"}
	list, err := r.arena.objects.Resource(pods).Namespace(system).List(ctx, options)
	if err != nil {
		return err
	}
	for i := range list.Items {
		if r.arena.local.Node().Kill(list.Items[i].GetUID()) {
			r.logf("  SIGKILL for %s", list.Items[i].GetName())
		}
		if err := r.arena.delete(ctx, &list.Items[i], 0); err != nil {
			return err
		}
	}
	return nil
}

// cancel has Flink cancel the job, as `flink cancel` does.
func (r *run) cancel(ctx context.Context) error {
	base := "http://" + r.name + "-rest." + namespace + ".svc:8081/jobs"
	var answer struct {
		Jobs []struct{ ID, Status string }
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base, nil)
	if err != nil {
		return err
	}
	response, err := r.arena.flink.Do(request)
	if err != nil {
		r.logf("  nobody answers: %v", err)
		return nil
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		r.logf("  no answer: %v", err)
		return nil
	}
	for _, job := range answer.Jobs {
		request, err := http.NewRequestWithContext(ctx, http.MethodPatch, base+"/"+job.ID+"?mode=cancel", nil)
		if err != nil {
			return err
		}
		if response, err := r.arena.flink.Do(request); err == nil {
			r.logf("  %s, which was %s, is cancelled: %s", job.ID, job.Status, response.Status)
			_ = response.Body.Close()
		}
	}
	return nil
}
