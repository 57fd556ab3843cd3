package unsupported

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// finalizer is the one that the Java operator would set. It sets none on a FlinkBlueGreenDeployment; one that is there
// all the same is held by nobody else.
const finalizer = v1beta1.FinalizerFlinkBlueGreenDeployment

// Held reports whether the resource is being deleted and the Java operator's finalizer holds it.
func Held(resource *unstructured.Unstructured) bool {
	return resource.GetDeletionTimestamp() != nil && slices.Contains(resource.GetFinalizers(), finalizer)
}

// end lets a resource go that is held; the garbage collector deletes its children.
func end(s Snapshot) plan.Plan {
	p := plan.Plan{Situation: plan.Deleting}
	if !Held(s.Resource) {
		return p
	}
	p.Finish = []plan.Action{plan.RemoveFinalizer{Finalizer: finalizer}}
	p.Events = []plan.Event{{
		Reason: plan.ReasonCleanup, Component: plan.ComponentOperator, Once: true,
		Message: "Cleaning up " + s.Resource.GetKind(),
	}}
	return p
}
