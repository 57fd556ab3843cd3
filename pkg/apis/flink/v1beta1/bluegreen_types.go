package v1beta1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FlinkBlueGreenDeployment runs one FlinkDeployment and replaces it by a second
// one without a gap when its template changes.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=flinkbluegreendeployments,singular=flinkbluegreendeployment,shortName=flinkbgdep,categories=flink,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=`.status.pace`
// +kubebuilder:printcolumn:name="Job Status",type=string,JSONPath=`.status.jobStatus.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.blueGreenState`,priority=1
// +kubebuilder:printcolumn:name="Situation",type=string,JSONPath=`.status.situation`,priority=1
type FlinkBlueGreenDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Spec is what the user wants.
	Spec FlinkBlueGreenDeploymentSpec `json:"spec,omitzero"`
	// Status says which child is active; zero before the first pass.
	Status FlinkBlueGreenDeploymentStatus `json:"status,omitzero"`
}

// FlinkBlueGreenDeploymentSpec describes both children.
type FlinkBlueGreenDeploymentSpec struct {
	// TransitionMode is BASIC or absent. ADVANCED, of a later version of the Java
	// operator, is refused.
	TransitionMode string `json:"transitionMode,omitempty"`
	// Configuration holds kubernetes.operator.bluegreen.* options only.
	Configuration map[string]string `json:"configuration,omitzero"`
	// Ingress that follows the active child; absent means none.
	Ingress *IngressSpec `json:"ingress,omitempty"`
	// Template of the child FlinkDeployments.
	Template *FlinkDeploymentTemplate `json:"template,omitempty"`
}

// FlinkDeploymentTemplate is what a child FlinkDeployment is made from.
type FlinkDeploymentTemplate struct {
	// Metadata is accepted and never used.
	Metadata TemplateMetadata `json:"metadata,omitempty"`
	// Spec of the child.
	Spec *FlinkDeploymentSpec `json:"spec,omitempty"`
}

// BlueGreenType is the colour of a child.
type BlueGreenType string

const (
	// Blue is the first child.
	Blue BlueGreenType = "BLUE"
	// Green is the other child.
	Green BlueGreenType = "GREEN"
)

// Other is the other colour; empty for an unknown one.
func (t BlueGreenType) Other() BlueGreenType {
	switch t {
	case Blue:
		return Green
	case Green:
		return Blue
	default:
		return ""
	}
}

// BlueGreenState is where a blue/green deployment stands.
//
// +kubebuilder:validation:Enum=INITIALIZING_BLUE;ACTIVE_BLUE;ACTIVE_GREEN;SAVEPOINTING_BLUE;SAVEPOINTING_GREEN;TRANSITIONING_TO_BLUE;TRANSITIONING_TO_GREEN
type BlueGreenState string

const (
	// BlueGreenInitializingBlue: the first child is coming up.
	BlueGreenInitializingBlue BlueGreenState = "INITIALIZING_BLUE"
	// BlueGreenActiveBlue: blue serves.
	BlueGreenActiveBlue BlueGreenState = "ACTIVE_BLUE"
	// BlueGreenActiveGreen: green serves.
	BlueGreenActiveGreen BlueGreenState = "ACTIVE_GREEN"
	// BlueGreenSavepointingBlue: a savepoint of blue is taken, for green.
	BlueGreenSavepointingBlue BlueGreenState = "SAVEPOINTING_BLUE"
	// BlueGreenSavepointingGreen: a savepoint of green is taken, for blue.
	BlueGreenSavepointingGreen BlueGreenState = "SAVEPOINTING_GREEN"
	// BlueGreenTransitioningToBlue: blue is coming up, green still serves.
	BlueGreenTransitioningToBlue BlueGreenState = "TRANSITIONING_TO_BLUE"
	// BlueGreenTransitioningToGreen: green is coming up, blue still serves.
	BlueGreenTransitioningToGreen BlueGreenState = "TRANSITIONING_TO_GREEN"
)

// Known tells whether the text is one of the enumeration.
func (s BlueGreenState) Known() bool {
	return slices.Contains([]BlueGreenState{
		BlueGreenInitializingBlue, BlueGreenActiveBlue, BlueGreenActiveGreen, BlueGreenSavepointingBlue,
		BlueGreenSavepointingGreen, BlueGreenTransitioningToBlue, BlueGreenTransitioningToGreen,
	}, s)
}

// BlueGreenTimeReset is the text of an abort or ready time that is not set.
const BlueGreenTimeReset = "1970-01-01T00:00:00Z"

// FlinkBlueGreenDeploymentStatus says which child is active.
type FlinkBlueGreenDeploymentStatus struct {
	// JobStatus has the state of the whole and nothing else: RECONCILING, RUNNING,
	// SUSPENDED or FAILING. The status of the child has the state of its job.
	JobStatus JobStatus `json:"jobStatus,omitzero"`
	// BlueGreenState is where the deployment stands; empty before the first pass.
	BlueGreenState BlueGreenState `json:"blueGreenState,omitempty"`
	// LastReconciledSpec is the spec acted on last, as JSON text.
	LastReconciledSpec string `json:"lastReconciledSpec,omitempty"`
	// LastReconciledTimestamp is when, ISO-8601 in UTC.
	LastReconciledTimestamp string `json:"lastReconciledTimestamp,omitempty"`
	// AbortTimestamp is when the transition gives up, ISO-8601 in UTC; 1970
	// means not set.
	AbortTimestamp string `json:"abortTimestamp,omitempty"`
	// DeploymentReadyTimestamp is when the new child became ready, ISO-8601 in
	// UTC; 1970 means not set.
	DeploymentReadyTimestamp string `json:"deploymentReadyTimestamp,omitempty"`
	// SavepointTriggerID is the ID of the transition's savepoint at Flink.
	SavepointTriggerID string `json:"savepointTriggerId,omitempty"`
	// Error is the last failure as plain text.
	Error string `json:"error,omitempty"`
	// ObservedGeneration is the generation judged last; absent or -1 means none.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Transition is the change under way; absent means none.
	Transition *BlueGreenTransition `json:"transition,omitempty"`
	// FailedAttempt is the newest spec that was tried and given up; absent means
	// that the newest change succeeded.
	FailedAttempt *BlueGreenAttempt `json:"failedAttempt,omitempty"`
	// Conditions beyond the state.
	Conditions []metav1.Condition `json:"conditions,omitzero"`

	Progress `json:",inline"`
}
