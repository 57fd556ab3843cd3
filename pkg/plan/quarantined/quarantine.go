package quarantined

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// quarantined is what to do about it.
const quarantined = "kn-flink died twice while it worked on this resource, as a rule because that takes too much " +
	"memory: nothing is done for it, and what runs is left as it is. Make the resource, or what its JobManager " +
	"answers, smaller; any change of the spec is tried again. If a deletion waits for this, take the finalizer off"

// Make tells that nothing is done for a resource that the function dies of. It looks at nothing but its
// status, and leaves what that says of the job as it is.
func Make(s Snapshot) plan.Plan {
	p := wait(s, plan.ReasonQuarantined, quarantined)
	if status, writes := p.Status.(*map[string]any); writes {
		(*status)["pace"] = string(v1beta1.PaceSlow) // no tick looks at it before its time
	}
	return p
}

// Told reports whether status says that this generation of a resource is not worked on.
func Told(conditions []metav1.Condition, generation int64) bool {
	for _, c := range conditions {
		if c.Type == summary.Stalled && c.Reason == string(plan.ReasonQuarantined) && c.Status == metav1.ConditionTrue {
			return c.ObservedGeneration == generation
		}
	}
	return false
}

// Is is Told for a resource as it was read.
func Is(resource *unstructured.Unstructured) bool {
	return Told(conditionsOf(resource), resource.GetGeneration())
}
