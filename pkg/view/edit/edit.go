package edit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// Edit is one change of a resource.
type Edit struct {
	// Says is the change in words: the field, what it is, what it becomes.
	Says string
	// Patch is the merge patch that makes it.
	Patch map[string]any
	// Goal is what to wait for, see view.Goals; empty for nothing.
	Goal string
	// GivesUp says which state is given up; empty where none is.
	GivesUp string
	// After is the merge patch that is made once the goal is reached; nil for none.
	After map[string]any
	// AfterSays is what After does, in words; empty for none.
	AfterSays string
	// Notes are what a user should know of it, a sentence each.
	Notes []string
	// Nothing is whether the resource is so already.
	Nothing bool
	// Hide takes secrets of the patch out of a text that shows it; nil: it has none.
	Hide func(string) string
	// Deletes is whether the resource is deleted; Patch is nil then.
	Deletes bool
	// Beside is whether it changes nothing that a manifest has, so that a GitOps tool may own the resource.
	Beside bool
}

// Suspend stops the job and keeps its state.
func Suspend(object *unstructured.Unstructured) (Edit, error) {
	return state(object, v1beta1.JobStateSuspended, "suspended")
}

// Resume starts a suspended job again.
func Resume(object *unstructured.Unstructured) (Edit, error) {
	e, err := state(object, v1beta1.JobStateRunning, "ready")
	e.GivesUp = "" // it was given up when the job was suspended
	return e, err
}

func state(object *unstructured.Unstructured, wanted v1beta1.JobState, goal string) (Edit, error) {
	at, err := specOf(object)
	if err != nil {
		return Edit{}, err
	}
	if !hasJob(object, at) {
		return Edit{}, fmt.Errorf("%s is a session cluster and has no job: name one of its session jobs",
			object.GetName())
	}
	path := append(slices.Clone(at), "job", "state")
	before := string(v1beta1.JobStateRunning)
	if text, _, _ := unstructured.NestedString(object.Object, path...); text != "" {
		before = text
	}
	return set(object, path, before, string(wanted), goal), nil
}

// Restart starts the job, or a session cluster with all its jobs, again.
func Restart(object *unstructured.Unstructured) (Edit, error) {
	at, err := specOf(object)
	if err != nil {
		return Edit{}, err
	}
	path := append(slices.Clone(at), "restartNonce")
	before, _, _ := unstructured.NestedInt64(object.Object, path...)
	e := set(object, path, before, before+1, "ready")
	if !hasJob(object, at) {
		e.Notes = append(e.Notes, "each job of the session cluster is started again, too")
	}
	return e, nil
}

// Scale sets the parallelism of the job or, in standalone mode, the number of TaskManagers.
func Scale(object *unstructured.Unstructured, to int64) (Edit, error) {
	at, err := specOf(object)
	if err != nil {
		return Edit{}, err
	}
	mode, _, _ := unstructured.NestedString(object.Object, append(slices.Clone(at), "mode")...)
	path := append(slices.Clone(at), "job", "parallelism")
	switch {
	case mode == string(v1beta1.ModeStandalone):
		path = append(slices.Clone(at), "taskManager", "replicas")
	case !hasJob(object, at):
		return Edit{}, fmt.Errorf("%s is a session cluster, whose TaskManagers Flink makes as its jobs need them: "+
			"name one of its jobs", object.GetName())
	}
	before, _, _ := unstructured.NestedInt64(object.Object, path...)
	e := set(object, path, before, to, "ready")
	if autoscaled(object) {
		e.Notes = append(e.Notes, "the autoscaler is on, and may set another parallelism")
	}
	return e, nil
}

// Reconcile asks for a pass now; of a resource with a job it ends the pause before the next attempt.
func Reconcile(object *unstructured.Unstructured, now time.Time) (Edit, error) {
	asked := map[string]any{v1beta1.AnnotationReconcileRequested: now.UTC().Format(time.RFC3339Nano)}
	e := Edit{
		Says: "a pass is asked for", Beside: true,
		Patch: map[string]any{"metadata": map[string]any{"annotations": asked}},
	}
	if k, known := kinds.Of(object.GetKind()); known && k.Counted {
		e.Notes = []string{"what waits for its next attempt is tried at once"}
	} else {
		e.Notes = []string{"an operation that failed is not tried before its time"}
	}
	return e, nil
}

// Promote opens the gate approval of the change that a pair has under way.
func Promote(object *unstructured.Unstructured) (Edit, error) {
	return decided(object, v1beta1.AnnotationPromote, "the change is approved", "ready")
}

// Abort gives the change up that a pair has under way: the new side is suspended, and the old one serves.
func Abort(object *unstructured.Unstructured) (Edit, error) {
	e, err := decided(object, v1beta1.AnnotationAbort, "the change is aborted", "")
	e.Notes = append(e.Notes, "the same spec is not tried again: correct it, or set a new restartNonce in its template")
	return e, err
}

// decided sets an annotation of a pair to the ID of its change.
func decided(object *unstructured.Unstructured, annotation, says, goal string) (Edit, error) {
	if object.GetKind() != v1beta1.KindFlinkBlueGreenDeployment {
		return Edit{}, fmt.Errorf("%s is a %s: name a %s", object.GetName(), object.GetKind(),
			v1beta1.KindFlinkBlueGreenDeployment)
	}
	id, _, _ := unstructured.NestedString(object.Object, "status", "transition", "operationID")
	if id == "" {
		return Edit{}, fmt.Errorf("%s has no change under way", object.GetName())
	}
	return Edit{
		Says: says, Beside: true, Goal: goal, Nothing: object.GetAnnotations()[annotation] == id,
		Patch: map[string]any{"metadata": map[string]any{"annotations": map[string]any{annotation: id}}},
	}, nil
}

// specOf is the path of the spec that has the job of a resource.
func specOf(object *unstructured.Unstructured) ([]string, error) {
	k, known := kinds.Of(object.GetKind())
	switch {
	case !known || !k.Pods:
		return nil, fmt.Errorf("%s is a %s, which runs nothing", object.GetName(), object.GetKind())
	case !k.Counted:
		return []string{"spec", "template", "spec"}, nil
	}
	return []string{"spec"}, nil
}

func hasJob(object *unstructured.Unstructured, at []string) bool {
	_, has, _ := unstructured.NestedMap(object.Object, append(slices.Clone(at), "job")...)
	return has
}

// set changes one field. What a stateless job has done is given up with its stop.
func set[T comparable](object *unstructured.Unstructured, path []string, before, after T, goal string) Edit {
	var patch any = after
	for _, name := range slices.Backward(path) {
		patch = map[string]any{name: patch}
	}
	e := Edit{
		Says:  fmt.Sprintf("%s: %v -> %v", strings.Join(path, "."), before, after),
		Patch: patch.(map[string]any), Goal: goal, Nothing: before == after,
	}
	at, _ := specOf(object)
	mode, _, _ := unstructured.NestedString(object.Object, append(slices.Clone(at), "job", "upgradeMode")...)
	if hasJob(object, at) && (mode == "" || strings.EqualFold(mode, "stateless")) {
		e.GivesUp = "its upgradeMode is stateless: the job starts without the state that it has now"
	}
	return e
}

// autoscaled is whether the autoscaler is on: the condition is there only while the spec asks for it.
func autoscaled(object *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		condition, _ := c.(map[string]any)
		return condition["type"] == summary.Autoscaling && condition["reason"] != "AutoscalerOff"
	})
}
