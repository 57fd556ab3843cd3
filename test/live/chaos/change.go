package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/test/chaos"
)

// persist tries again for a minute what a busy API server, or a webhook that is cold, did not do, and what somebody
// else was quicker with.
func persist(ctx context.Context, do func() error) error {
	end := time.Now().Add(time.Minute)
	for {
		err := do()
		final := apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) ||
			apierrors.IsAlreadyExists(err)
		if err == nil || final || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
		pause(ctx, time.Second/2)
	}
}

// apply makes the resource, and a session cluster for it, or replaces their specs. What is refused changes nothing.
func (r *run) apply(ctx context.Context) error {
	if !r.made {
		r.made = true
		r.judge.Anew()
		r.judge.GivesUp(r.resource.Stateless())
	}
	refused := false
	for _, o := range r.objects() {
		text, err := json.Marshal(o.spec)
		if err != nil {
			return err
		}
		if r.was[o.of] == string(text) && !refused && r.hosted {
			continue
		}
		err = r.put(ctx, o)
		if apierrors.IsForbidden(err) { // admission refuses what the resource cannot become from where it is
			r.logf("  refused: %v", err)
			refused = true
			continue
		}
		if err != nil {
			return err
		}
		r.was[o.of] = string(text)
	}
	if refused {
		r.resource.Spec = runtime.DeepCopyJSON(r.applied)
		return nil
	}
	r.applied = runtime.DeepCopyJSON(r.resource.Spec)
	return nil
}

// put makes one object, or replaces its spec.
func (r *run) put(ctx context.Context, o object) error {
	client := r.arena.objects.Resource(o.of).Namespace(namespace)
	return persist(ctx, func() error {
		u, err := client.Get(ctx, o.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			_, err = client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": o.of.GroupVersion().String(), "kind": o.kind,
				"metadata": map[string]any{"name": o.name}, "spec": runtime.DeepCopyJSON(o.spec),
			}}, metav1.CreateOptions{})
			return err
		}
		if err != nil {
			return err
		}
		u.Object["spec"] = runtime.DeepCopyJSON(o.spec)
		u, err = client.Update(ctx, u, metav1.UpdateOptions{})
		if err == nil {
			r.logf("  generation %d of %s", u.GetGeneration(), o.kind)
		}
		return err
	})
}

// remove deletes the resource and what was made for it, and returns when all of it is gone.
func (r *run) remove(ctx context.Context) error {
	if !r.made {
		return nil
	}
	r.logf("the deletion")
	background := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{PropagationPolicy: &background}
	for _, o := range r.objects() {
		client := r.arena.objects.Resource(o.of).Namespace(namespace)
		err := persist(ctx, func() error { return client.Delete(ctx, o.name, options) })
		if ignoreGone(err) != nil {
			return err
		}
	}
	clear(r.was)
	ctx, cancel := context.WithTimeout(ctx, rest)
	defer cancel()
	if !r.gone(ctx) {
		r.found("its deletion does not end within %s: %s", rest, r.follower.now())
		return fmt.Errorf("%s cannot be deleted", r.name)
	}
	r.made = false
	taken := r.arena.objects.Resource(snapshots).Namespace(namespace)
	for n := range r.snapshots {
		err := persist(ctx, func() error { return taken.Delete(ctx, r.snapshotName(n+1), options) })
		if ignoreGone(err) != nil {
			return err
		}
	}
	return r.listen()
}

// gone waits until the resource and its pods are.
func (r *run) gone(ctx context.Context) bool {
	for ; ctx.Err() == nil; pause(ctx, look1) {
		left := slices.ContainsFunc(r.objects(), func(o object) bool {
			_, err := r.arena.objects.Resource(o.of).Namespace(namespace).Get(ctx, o.name, metav1.GetOptions{})
			return !apierrors.IsNotFound(err)
		})
		if left {
			continue
		}
		if list, err := r.pods(ctx, ""); err == nil && len(list) == 0 {
			return true
		}
	}
	return false
}

func (r *run) snapshotName(n int) string { return fmt.Sprintf("%s-taken-%d", r.name, n) }

// take makes a FlinkStateSnapshot.
func (r *run) take(ctx context.Context, n int) error {
	r.snapshots++
	of := r.objects()
	job := map[string]any{"kind": of[len(of)-1].kind, "name": of[len(of)-1].name}
	spec := map[string]any{"jobReference": job, "backoffLimit": int64(n % 3)}
	if n%4 == 3 {
		spec["checkpoint"] = map[string]any{}
	} else {
		spec["savepoint"] = map[string]any{"disposeOnDelete": n%2 == 0}
	}
	err := persist(ctx, func() error {
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": snapshots.GroupVersion().String(), "kind": "FlinkStateSnapshot",
			"metadata": map[string]any{"name": r.snapshotName(r.snapshots)}, "spec": spec,
		}}
		_, err := r.arena.objects.Resource(snapshots).Namespace(namespace).Create(ctx, u, metav1.CreateOptions{})
		return err
	})
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
		r.logf("  refused: %v", err)
		return nil
	}
	return err
}

// choose makes the newest savepoint the state of the next redeployment. Without one there is none.
func (r *run) choose() bool {
	files, err := filepath.Glob(filepath.Join(r.place.Data, "savepoints", "savepoint-*", "_metadata"))
	if err != nil {
		return false
	}
	var path string
	var at time.Time
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.ModTime().After(at) {
			path, at = filepath.Dir(file), info.ModTime()
		}
	}
	if path == "" {
		return false
	}
	atLeast := r.keptAt(at)
	r.logf("  a person chooses %s, which has %d or more", path, atLeast)
	r.resource.Choose("file://" + path)
	r.judge.Chosen(atLeast)
	return true
}

// keptAt is how much the run of that moment had kept a second before.
func (r *run) keptAt(at time.Time) (number int64) {
	for _, e := range r.entries {
		switch {
		case e.At.After(at.Add(-time.Second)):
			return number
		case e.What == chaos.Began, e.What == chaos.Kept:
			number = e.Number
		}
	}
	return number
}
