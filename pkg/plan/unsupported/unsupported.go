package unsupported

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Reason is the reason of the condition Stalled and of the event.
const Reason = "KindNotSupported"

// Make tells that nothing will happen to the resource. A resource that was told already gets an empty plan. The rest of its status
// is left as it is: another operator may have written it.
func Make(resource *unstructured.Unstructured, now time.Time) plan.Plan {
	message := fmt.Sprintf("resources of kind %s cannot be run by kn-flink yet: this one is stored and left alone", resource.GetKind())
	p := plan.Plan{Situation: plan.Refused}
	status, _, _ := unstructured.NestedMap(resource.Object, "status")
	old := conditionsOf(status)
	for _, c := range old {
		if c.Type == summary.Stalled && c.Status == metav1.ConditionTrue && c.Message == message && c.ObservedGeneration == resource.GetGeneration() {
			return p
		}
	}
	next := maps.Clone(status)
	if next == nil {
		next = map[string]any{}
	}
	next["conditions"] = summary.SetConditions(old, summary.At{Now: now, Generation: resource.GetGeneration()},
		metav1.Condition{Type: summary.Stalled, Status: metav1.ConditionTrue, Reason: Reason, Message: message})
	p.Status = &next
	p.Events = []plan.Event{{Warning: true, Reason: Reason, Component: plan.ComponentOperator, Message: message, Once: true}}
	return p
}

// conditionsOf reads the stored conditions; what cannot be read counts as none.
func conditionsOf(status map[string]any) []metav1.Condition {
	text, err := json.Marshal(status["conditions"])
	if err != nil {
		return nil
	}
	var list []metav1.Condition
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list
}
