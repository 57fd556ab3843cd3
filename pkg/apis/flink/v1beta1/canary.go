package v1beta1

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// AnnotationCanaryAsked on a canary is when its spec was changed first of those
// changes that nobody has seen yet, or was changed last; RFC 3339.
const AnnotationCanaryAsked = "flink.apache.org/canary-asked"

// Canary is what a canary says of itself.
//
// +kubebuilder:object:generate=false
type Canary struct {
	// Generation is metadata.generation, Answered status.observedGeneration.
	Generation, Answered int64
	// Asked is what AnnotationCanaryAsked says; zero when it says nothing.
	Asked time.Time
	// RestartNonce is spec.restartNonce; 0 when it is not set.
	RestartNonce int64
}

// CanaryOf reads a canary.
func CanaryOf(u *unstructured.Unstructured) Canary {
	answered, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	nonce, _, _ := unstructured.NestedInt64(u.Object, "spec", "restartNonce")
	asked, _ := time.Parse(time.RFC3339, u.GetAnnotations()[AnnotationCanaryAsked]) // zero when it is none
	return Canary{Generation: u.GetGeneration(), Answered: answered, Asked: asked, RestartNonce: nonce}
}

// IsCanary tells whether labels mark a canary: LabelCanary, value "true" in any
// case.
func IsCanary(labels map[string]string) bool { return strings.EqualFold(labels[LabelCanary], "true") }

// OnlyCanary tells whether a resource only probes the operator: the labels say
// so, and it was never deployed. One that was has a job to look after, whatever
// its labels say.
func OnlyCanary(labels map[string]string, recorded ReconciliationStatus, open *Intent) bool {
	return IsCanary(labels) && recorded.LastReconciledSpec == "" && open == nil
}

// OnlyCanaryPair is OnlyCanary of a FlinkBlueGreenDeployment.
func OnlyCanaryPair(labels map[string]string, status FlinkBlueGreenDeploymentStatus) bool {
	return IsCanary(labels) && status.LastReconciledSpec == "" && status.Transition == nil
}

// IsOnlyCanary is OnlyCanary of a resource that was not decoded.
func IsOnlyCanary(u *unstructured.Unstructured) bool {
	recorded, _, _ := unstructured.NestedString(u.Object, "status", "reconciliationStatus", "lastReconciledSpec")
	_, open, _ := unstructured.NestedMap(u.Object, "status", "intent")
	return IsCanary(u.GetLabels()) && recorded == "" && !open
}
