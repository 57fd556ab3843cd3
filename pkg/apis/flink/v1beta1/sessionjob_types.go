package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// FlinkSessionJob is one job on a session cluster.
//
// The rule holds the name of the cluster once the job was deployed, also where
// no webhook does; a name that was changed all the same may be set back.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=flinksessionjobs,singular=flinksessionjob,shortName=sessionjob,categories=flink,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=`.status.lifecycleState`
// +kubebuilder:selectablefield:JSONPath=`.status.pace`
// +kubebuilder:printcolumn:name="Job Status",type=string,JSONPath=`.status.jobStatus.state`
// +kubebuilder:printcolumn:name="Lifecycle State",type=string,JSONPath=`.status.lifecycleState`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Situation",type=string,JSONPath=`.status.situation`,priority=1
// +kubebuilder:printcolumn:name="Namespace",type=string,JSONPath=`.metadata.namespace`,priority=1
// +kubebuilder:printcolumn:name="Since",type=string,JSONPath=`.status.lifecycleSince`,priority=1
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.reconciliationStatus) || !has(oldSelf.status.reconciliationStatus.lastReconciledSpec) || size(oldSelf.status.reconciliationStatus.lastReconciledSpec) == 0 || !has(oldSelf.spec) || !has(oldSelf.spec.deploymentName) || (has(self.spec) && has(self.spec.deploymentName) && self.spec.deploymentName == oldSelf.spec.deploymentName) || (has(oldSelf.status.error) && oldSelf.status.error.contains('deploymentName can\\'t be changed'))",fieldPath=".spec.deploymentName",message="The deploymentName can't be changed: set it back, or delete the resource and create it again"
type FlinkSessionJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Spec is what the user wants.
	Spec FlinkSessionJobSpec `json:"spec,omitzero"`
	// Status is what was observed and what is under way; zero before the first
	// pass.
	Status FlinkSessionJobStatus `json:"status,omitzero"`
}

// FlinkSessionJobSpec describes a job and the cluster that runs it.
//
// +kubebuilder:validation:XValidation:rule="!has(self.deploymentName) || self.deploymentName.matches('^[a-z]([-a-z0-9]{0,43}[a-z0-9])?$')",fieldPath=".deploymentName",message="The FlinkDeployment name is invalid",messageExpression="'The FlinkDeployment name: ' + self.deploymentName + ' is invalid: use 1 to 45 characters: lower case letters, digits and -, beginning with a letter and ending with a letter or digit'"
type FlinkSessionJobSpec struct {
	// Job to run. Required.
	Job *JobSpec `json:"job,omitempty"`
	// RestartNonce restarts the job when it changes to another value.
	RestartNonce *int64 `json:"restartNonce,omitempty"`
	// FlinkConfiguration of the job, over that of its cluster.
	FlinkConfiguration FlinkConfiguration `json:"flinkConfiguration,omitempty"`
	// DeploymentName is the name of the session FlinkDeployment in the same
	// namespace. Required, and never changed.
	DeploymentName string `json:"deploymentName,omitempty"`
}

// AsDeployment has what a session job says of its job where a FlinkDeployment says it.
func (s FlinkSessionJobSpec) AsDeployment() *FlinkDeploymentSpec {
	return &FlinkDeploymentSpec{FlinkConfiguration: s.FlinkConfiguration, Job: s.Job}
}
