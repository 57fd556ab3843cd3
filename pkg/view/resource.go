package view

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Resource is one resource of the operator.
type Resource struct {
	// Kind and Name; the name is NAMESPACE/NAME.
	Kind, Name string
	// Lifecycle is status.lifecycleState, or what a kind has in its place.
	Lifecycle string
	// Job is the state of its job. Empty: it has none.
	Job string
	// Now says what it waits for or what is wrong, in a sentence or a word.
	Now string
}

// ResourceOf is a resource of the operator as it is shown. The kinds say different things of themselves:
//
//	column    | FlinkDeployment, FlinkSessionJob | FlinkStateSnapshot | FlinkBlueGreenDeployment
//	lifecycle | lifecycleState                   | state              | blueGreenState
//	job       | jobStatus.state                  |                    | jobStatus.state
//	now       | a condition that asks for something or goes on, else the error, else the situation
func ResourceOf(object *unstructured.Unstructured) Resource {
	status := func(path ...string) string {
		value, _, _ := unstructured.NestedString(object.Object, append([]string{"status"}, path...)...)
		return value
	}
	return Resource{
		Kind:      object.GetKind(),
		Name:      object.GetNamespace() + "/" + object.GetName(),
		Lifecycle: cmp.Or(status("lifecycleState"), status("state"), status("blueGreenState")),
		Job:       status("jobStatus", "state"),
		Now:       now(object, cmp.Or(status("error"), status("situation"))),
	}
}

// now prefers the condition that waits for a user, then the condition of what is under way.
func now(object *unstructured.Unstructured, otherwise string) string {
	if object.GetDeletionTimestamp() != nil {
		otherwise = "is being deleted"
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, wanted := range []string{"Stalled", "Reconciling"} {
		for _, c := range conditions {
			condition, _ := c.(map[string]any)
			if condition["type"] != wanted || condition["status"] != "True" {
				continue
			}
			if message, _ := condition["message"].(string); message != "" {
				return fmt.Sprintf("%s: %s", condition["reason"], message)
			}
			return fmt.Sprint(condition["reason"])
		}
	}
	return otherwise
}

// Key names the resource.
func (r Resource) Key() string { return r.Kind + " " + r.Name }

// Sentence is the resource in one line.
func (r Resource) Sentence() string {
	text := fmt.Sprintf("%s: %s", r.Key(), cmp.Or(r.Lifecycle, "-"))
	if r.Job != "" {
		text += ", job " + r.Job
	}
	if r.Now != "" {
		text += " (" + r.Now + ")"
	}
	return text
}
