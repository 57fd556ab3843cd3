package quarantined

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Snapshot is everything that one decision sees.
type Snapshot struct {
	// Now is the time of the look.
	Now time.Time
	// Resource is the resource as just read. Never nil.
	Resource *unstructured.Unstructured
}

// wait tells that nothing is done, once.
func wait(s Snapshot, reason plan.Reason, message string) plan.Plan {
	p := plan.Plan{Situation: plan.Refused}
	if told(s.Resource, message) {
		return p
	}
	p.Status = statusWith(s, metav1.Condition{
		Type: summary.Stalled, Status: metav1.ConditionTrue, Reason: string(reason), Message: message,
	})
	p.Events = []plan.Event{{
		Warning: true, Reason: reason, Component: plan.ComponentOperator, Message: message, Once: true,
	}}
	return p
}

// told reports whether the condition says so already, of this generation.
func told(resource *unstructured.Unstructured, message string) bool {
	return slices.ContainsFunc(conditionsOf(resource), func(c metav1.Condition) bool {
		current := c.Status == metav1.ConditionTrue && c.ObservedGeneration == resource.GetGeneration()
		return current && c.Type == summary.Stalled && c.Message == message
	})
}

// statusWith is the stored status with the condition in the place of ours.
func statusWith(s Snapshot, c metav1.Condition) *map[string]any {
	status, _, _ := unstructured.NestedMap(s.Resource.Object, "status")
	next := maps.Clone(status)
	if next == nil {
		next = map[string]any{}
	}
	at := summary.At{Now: s.Now, Generation: s.Resource.GetGeneration()}
	if deployed, is := deployedGeneration(next); is {
		next["deployedGeneration"] = deployed
	}
	next["observedGeneration"] = at.Generation
	next["conditions"] = summary.SetConditions(conditionsOf(s.Resource), at, c)
	return &next
}

// deployedGeneration is the generation that a status says was acted on; false where nothing was deployed.
func deployedGeneration(status map[string]any) (int64, bool) {
	spec, _, _ := unstructured.NestedString(status, "reconciliationStatus", "lastReconciledSpec")
	if known, is, _ := unstructured.NestedInt64(status, "deployedGeneration"); is {
		return known, true
	}
	judged, is, _ := unstructured.NestedInt64(status, "observedGeneration")
	return judged, is && spec != ""
}

// conditionsOf reads the stored conditions; what cannot be read counts as none.
func conditionsOf(resource *unstructured.Unstructured) []metav1.Condition {
	stored, _, _ := unstructured.NestedFieldNoCopy(resource.Object, "status", "conditions")
	text, err := json.Marshal(stored)
	if err != nil {
		return nil
	}
	var list []metav1.Condition
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list
}
