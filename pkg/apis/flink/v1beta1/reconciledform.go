package v1beta1

import "github.com/kn-flink/kn-flink/pkg/apis/flink/jsontext"

// The forms below list the keys of a recorded spec in the order in which the
// Java operator prints them. No field is left out when it is null.

type deploymentRecord struct {
	Job                *jobRecord         `json:"job"`
	RestartNonce       *int64             `json:"restartNonce"`
	FlinkConfiguration FlinkConfiguration `json:"flinkConfiguration"`
	Image              *string            `json:"image"`
	ImagePullPolicy    *string            `json:"imagePullPolicy"`
	ServiceAccount     *string            `json:"serviceAccount"`
	FlinkVersion       *string            `json:"flinkVersion"`
	Ingress            *ingressRecord     `json:"ingress"`
	PodTemplate        *PodTemplate       `json:"podTemplate"`
	JobManager         *jobManagerRecord  `json:"jobManager"`
	TaskManager        *taskManagerRecord `json:"taskManager"`
	LogConfiguration   map[string]string  `json:"logConfiguration"`
	Mode               *string            `json:"mode"`
}

func newDeploymentRecord(s *FlinkDeploymentSpec) *deploymentRecord {
	if s == nil {
		return nil
	}
	return &deploymentRecord{
		Job:                newJobRecord(s.Job),
		RestartNonce:       s.RestartNonce,
		FlinkConfiguration: s.FlinkConfiguration,
		Image:              textOrNull(s.Image),
		ImagePullPolicy:    textOrNull(s.ImagePullPolicy),
		ServiceAccount:     textOrNull(s.ServiceAccount),
		FlinkVersion:       textOrNull(s.FlinkVersion),
		Ingress:            newIngressRecord(s.Ingress),
		PodTemplate:        s.PodTemplate,
		JobManager:         newJobManagerRecord(s.JobManager),
		TaskManager:        newTaskManagerRecord(s.TaskManager),
		LogConfiguration:   s.LogConfiguration,
		Mode:               textOrNull(s.Mode),
	}
}

type sessionJobRecord struct {
	Job                *jobRecord         `json:"job"`
	RestartNonce       *int64             `json:"restartNonce"`
	FlinkConfiguration FlinkConfiguration `json:"flinkConfiguration"`
	DeploymentName     *string            `json:"deploymentName"`
}

func newSessionJobRecord(s *FlinkSessionJobSpec) *sessionJobRecord {
	return &sessionJobRecord{
		Job:                newJobRecord(s.Job),
		RestartNonce:       s.RestartNonce,
		FlinkConfiguration: s.FlinkConfiguration,
		DeploymentName:     textOrNull(s.DeploymentName),
	}
}

type blueGreenRecord struct {
	Ingress       *ingressRecord    `json:"ingress"`
	Template      *templateRecord   `json:"template"`
	Configuration map[string]string `json:"configuration"`
}

type templateRecord struct {
	Metadata TemplateMetadata  `json:"metadata"`
	Spec     *deploymentRecord `json:"spec"`
}

func newBlueGreenRecord(s *FlinkBlueGreenDeploymentSpec) blueGreenRecord {
	record := blueGreenRecord{Configuration: s.Configuration, Ingress: newIngressRecord(s.Ingress)}
	if s.Template != nil {
		record.Template = &templateRecord{Metadata: s.Template.Metadata, Spec: newDeploymentRecord(s.Template.Spec)}
	}
	return record
}

type jobRecord struct {
	JarURI                 *string     `json:"jarURI"`
	Parallelism            int32       `json:"parallelism"`
	EntryClass             *string     `json:"entryClass"`
	Args                   []string    `json:"args"`
	State                  JobState    `json:"state"`
	SavepointTriggerNonce  *int64      `json:"savepointTriggerNonce"`
	InitialSavepointPath   *string     `json:"initialSavepointPath"`
	CheckpointTriggerNonce *int64      `json:"checkpointTriggerNonce"`
	UpgradeMode            UpgradeMode `json:"upgradeMode"`
	AllowNonRestoredState  *bool       `json:"allowNonRestoredState"`
	SavepointRedeployNonce *int64      `json:"savepointRedeployNonce"`
	AutoscalerResetNonce   *int64      `json:"autoscalerResetNonce"`
}

func newJobRecord(j *JobSpec) *jobRecord {
	if j == nil {
		return nil
	}
	return &jobRecord{
		JarURI:                 textOrNull(j.JarURI),
		Parallelism:            j.Parallelism,
		EntryClass:             textOrNull(j.EntryClass),
		Args:                   append([]string{}, j.Args...),
		State:                  j.DesiredState(),
		SavepointTriggerNonce:  j.SavepointTriggerNonce,
		InitialSavepointPath:   textOrNull(j.InitialSavepointPath),
		CheckpointTriggerNonce: j.CheckpointTriggerNonce,
		UpgradeMode:            j.DesiredUpgradeMode(),
		AllowNonRestoredState:  j.AllowNonRestoredState,
		SavepointRedeployNonce: j.SavepointRedeployNonce,
		AutoscalerResetNonce:   j.AutoscalerResetNonce,
	}
}

type ingressRecord struct {
	Template    *string           `json:"template"`
	ClassName   *string           `json:"className"`
	Annotations map[string]string `json:"annotations"`
	Labels      map[string]string `json:"labels"`
	TLS         []IngressTLS      `json:"tls"`
}

func newIngressRecord(i *IngressSpec) *ingressRecord {
	if i == nil {
		return nil
	}
	return &ingressRecord{
		Template:    textOrNull(i.Template),
		ClassName:   textOrNull(i.ClassName),
		Annotations: i.Annotations,
		Labels:      i.Labels,
		TLS:         i.TLS,
	}
}

type resourceRecord struct {
	CPU              *jsontext.Double `json:"cpu"`
	Memory           *string          `json:"memory"`
	EphemeralStorage *string          `json:"ephemeralStorage"`
}

func newResourceRecord(r *Resource) *resourceRecord {
	if r == nil {
		return nil
	}
	return &resourceRecord{
		CPU:              (*jsontext.Double)(r.CPU),
		Memory:           textOrNull(r.Memory),
		EphemeralStorage: textOrNull(r.EphemeralStorage),
	}
}

type jobManagerRecord struct {
	Resource    *resourceRecord       `json:"resource"`
	Resources   *ResourceRequirements `json:"resources"`
	Replicas    int32                 `json:"replicas"`
	PodTemplate *PodTemplate          `json:"podTemplate"`
}

func newJobManagerRecord(j *JobManagerSpec) *jobManagerRecord {
	if j == nil {
		return nil
	}
	return &jobManagerRecord{
		Resource:    newResourceRecord(j.Resource),
		Resources:   j.Resources,
		Replicas:    j.DesiredReplicas(),
		PodTemplate: j.PodTemplate,
	}
}

type taskManagerRecord struct {
	Resource    *resourceRecord       `json:"resource"`
	Resources   *ResourceRequirements `json:"resources"`
	Replicas    *int32                `json:"replicas"`
	PodTemplate *PodTemplate          `json:"podTemplate"`
}

func newTaskManagerRecord(t *TaskManagerSpec) *taskManagerRecord {
	if t == nil {
		return nil
	}
	return &taskManagerRecord{
		Resource:    newResourceRecord(t.Resource),
		Resources:   t.Resources,
		Replicas:    t.Replicas,
		PodTemplate: t.PodTemplate,
	}
}

func textOrNull[T ~string](s T) *string {
	if s == "" {
		return nil
	}
	text := string(s)
	return &text
}
