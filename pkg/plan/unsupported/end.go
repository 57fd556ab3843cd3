package unsupported

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Held reports whether the resource is being deleted and the Java operator's finalizer holds it. The Java operator sets
// none on a FlinkBlueGreenDeployment; nothing else removes one that is there all the same.
func Held(resource *unstructured.Unstructured) bool {
	return resource.GetDeletionTimestamp() != nil && slices.Contains(resource.GetFinalizers(), finalizerOf(resource))
}

func finalizerOf(resource *unstructured.Unstructured) string {
	k, _ := kinds.Of(resource.GetKind())
	return k.Finalizer()
}

// end lets a resource go that is held; the garbage collector deletes its children.
func end(s Snapshot) plan.Plan {
	p := plan.Plan{Situation: plan.Deleting}
	if !Held(s.Resource) {
		return p
	}
	p.Finish = []plan.Action{plan.RemoveFinalizer{Finalizer: finalizerOf(s.Resource)}}
	p.Events = []plan.Event{{
		Reason: plan.ReasonCleanup, Component: plan.ComponentOperator, Once: true,
		Message: "Cleaning up " + s.Resource.GetKind(),
	}}
	return p
}
