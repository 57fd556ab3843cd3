package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Mode says who starts the TaskManagers of a Flink cluster.
//
// +kubebuilder:validation:Enum=native;standalone
type Mode string

const (
	// ModeNative: Flink's own Kubernetes resource manager. The default.
	ModeNative Mode = "native"
	// ModeStandalone: a Deployment of TaskManagers.
	ModeStandalone Mode = "standalone"
)

// Known tells whether the text is one of the enumeration.
func (m Mode) Known() bool { return m == ModeNative || m == ModeStandalone }

// FlinkDeployment is one Flink cluster: an application cluster when spec.job is
// set, else a session cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=flinkdeployments,singular=flinkdeployment,shortName=flinkdep,categories=flink,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.taskManager.replicas,statuspath=.status.taskManager.replicas,selectorpath=.status.taskManager.labelSelector
// +kubebuilder:selectablefield:JSONPath=`.status.lifecycleState`
// +kubebuilder:selectablefield:JSONPath=`.status.pace`
// +kubebuilder:printcolumn:name="Job Status",type=string,JSONPath=`.status.jobStatus.state`
// +kubebuilder:printcolumn:name="Lifecycle State",type=string,JSONPath=`.status.lifecycleState`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Situation",type=string,JSONPath=`.status.situation`,priority=1
// +kubebuilder:printcolumn:name="JobManager",type=string,JSONPath=`.status.jobManagerDeploymentStatus`,priority=1
// +kubebuilder:printcolumn:name="Flink",type=string,JSONPath=`.status.clusterInfo.flink-version`,priority=1
// +kubebuilder:printcolumn:name="Namespace",type=string,JSONPath=`.metadata.namespace`,priority=1
// +kubebuilder:printcolumn:name="Since",type=string,JSONPath=`.status.lifecycleSince`,priority=1
type FlinkDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Spec is what the user wants.
	Spec FlinkDeploymentSpec `json:"spec,omitzero"`
	// Status is what was observed and what is under way; zero before the first
	// pass.
	Status FlinkDeploymentStatus `json:"status,omitzero"`
}

// FlinkDeploymentSpec describes a Flink cluster.
//
// +kubebuilder:validation:XValidation:rule="!has(self.flinkVersion) || !(self.flinkVersion in ['v1_13', 'v1_14'])",fieldPath=".flinkVersion",message="Flink version is not supported by this operator version: use Flink 1.15 or newer and set flinkVersion to match the image",messageExpression="'Flink version ' + self.flinkVersion + ' is not supported by this operator version: use Flink 1.15 or newer and set flinkVersion to match the image'"
// +kubebuilder:validation:XValidation:rule="!has(self.ingress) || has(self.ingress.template)",fieldPath=".ingress.template",message="Ingress template must be defined: write host, /path or host/path, for example {{name}}.{{namespace}}.example.org, or leave ingress out"
// +kubebuilder:validation:XValidation:rule="!has(self.logConfiguration) || size(self.logConfiguration) == size(['log4j-console.properties', 'logback-console.xml'].filter(k, k in self.logConfiguration))",fieldPath=".logConfiguration",message="Invalid log config key. Allowed keys are [log4j-console.properties, logback-console.xml]: move the content of the others to one of these, or to a volume of the pod template"
// +kubebuilder:validation:XValidation:rule="!has(self.taskManager) || !has(self.taskManager.replicas) || self.taskManager.replicas > 0",fieldPath=".taskManager.replicas",message="TaskManager replicas should not be configured less than one.",messageExpression="(has(self.job) ? 'TaskManager replicas must be larger than 0' : 'TaskManager replicas should not be configured less than one.') + ': set it to 1 or more; to stop a job set job.state to suspended'"
type FlinkDeploymentSpec struct {
	// Job makes this an application cluster; absent means a session cluster.
	Job *JobSpec `json:"job,omitempty"`
	// RestartNonce restarts the cluster when it changes to another value.
	RestartNonce *int64 `json:"restartNonce,omitempty"`
	// FlinkConfiguration of the cluster, flat or nested keys, as written.
	FlinkConfiguration FlinkConfiguration `json:"flinkConfiguration,omitempty"`
	// Image of the JobManager and TaskManager containers; empty means that the
	// configuration or the pod template sets it.
	Image string `json:"image,omitempty"`
	// ImagePullPolicy is IfNotPresent, Always or Never; empty means not set.
	ImagePullPolicy string `json:"imagePullPolicy,omitempty"`
	// ServiceAccount of the JobManager and TaskManager pods. Required.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// FlinkVersion is the release line of the image. Required.
	FlinkVersion FlinkVersion `json:"flinkVersion,omitempty"`
	// Ingress for the Flink web interface; absent means none.
	Ingress *IngressSpec `json:"ingress,omitempty"`
	// PodTemplate is the base of both the JobManager's and the TaskManagers'
	// pods.
	PodTemplate *PodTemplate `json:"podTemplate,omitempty"`
	// JobManager sizes and shapes the JobManager pods. Required.
	JobManager *JobManagerSpec `json:"jobManager,omitempty"`
	// TaskManager sizes and shapes the TaskManager pods. Required.
	TaskManager *TaskManagerSpec `json:"taskManager,omitempty"`
	// LogConfiguration maps the file names log4j-console.properties and
	// logback-console.xml to their content.
	LogConfiguration map[string]string `json:"logConfiguration,omitzero"`
	// Mode says who starts the TaskManagers; empty means native.
	Mode Mode `json:"mode,omitempty"`
}

// DesiredMode is Mode with its default.
func (s *FlinkDeploymentSpec) DesiredMode() Mode {
	if s == nil || s.Mode == "" {
		return ModeNative
	}
	return s.Mode
}

// IsSession tells whether the spec describes a session cluster.
func (s *FlinkDeploymentSpec) IsSession() bool { return s.Job == nil }

// IngressSpec describes the Ingress in front of the Flink web interface.
type IngressSpec struct {
	// Template of host and path; {{name}} and {{namespace}} are replaced.
	Template string `json:"template,omitempty"`
	// ClassName is the ingress class; empty means the cluster's default.
	ClassName string `json:"className,omitempty"`
	// Annotations of the Ingress.
	Annotations map[string]string `json:"annotations,omitzero"`
	// Labels of the Ingress.
	Labels map[string]string `json:"labels,omitzero"`
	// TLS entries, copied to the Ingress.
	TLS []IngressTLS `json:"tls,omitzero"`
}

// IngressTLS says which Secret serves which hosts.
type IngressTLS struct {
	// Hosts of the certificate; empty means the Ingress controller's default.
	Hosts []string `json:"hosts,omitzero"`
	// SecretName of the certificate; empty means the Ingress controller's own.
	SecretName string `json:"secretName,omitempty"`
}

// JobManagerSpec sizes and shapes the JobManager pods.
//
// +kubebuilder:validation:XValidation:rule="!has(self.replicas) || self.replicas > 0",fieldPath=".replicas",message="JobManager replicas should not be configured less than one. Set it to 1, or leave it out; to stop a job set job.state to suspended"
type JobManagerSpec struct {
	// Resource is the older way to size the container.
	Resource *Resource `json:"resource,omitempty"`
	// Resources of the container; wins over Resource when usable.
	Resources *ResourceRequirements `json:"resources,omitempty"`
	// Replicas of the JobManager; absent means 1. More than 1 needs high
	// availability.
	Replicas *int32 `json:"replicas,omitempty"`
	// PodTemplate is merged over spec.podTemplate.
	PodTemplate *PodTemplate `json:"podTemplate,omitempty"`
}

// DesiredReplicas is Replicas with its default.
func (j *JobManagerSpec) DesiredReplicas() int32 {
	if j == nil || j.Replicas == nil {
		return 1
	}
	return *j.Replicas
}

// TaskManagerSpec sizes and shapes the TaskManager pods.
type TaskManagerSpec struct {
	// Resource is the older way to size the container.
	Resource *Resource `json:"resource,omitempty"`
	// Resources of the container; wins over Resource when usable.
	Resources *ResourceRequirements `json:"resources,omitempty"`
	// Replicas of TaskManagers; absent means as many as the parallelism needs.
	// When set it replaces job.parallelism (replicas times slots).
	Replicas *int32 `json:"replicas,omitempty"`
	// PodTemplate is merged over spec.podTemplate.
	PodTemplate *PodTemplate `json:"podTemplate,omitempty"`
}
