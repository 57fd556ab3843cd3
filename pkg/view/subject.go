package view

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// subject is what the views read of a resource: one shape for the four kinds, in which a kind leaves empty what it
// does not have. What the Java operator wrote fits, too: it leaves out what only ours writes.
type subject struct {
	*unstructured.Unstructured
	content
}

// content is what is read of a resource beside its metadata.
type content struct {
	Spec   spec   `json:"spec"`
	Status status `json:"status"`
}

// spec is what the views read of a spec.
type spec struct {
	FlinkVersion   string                 `json:"flinkVersion"`
	Mode           string                 `json:"mode"`
	DeploymentName string                 `json:"deploymentName"`
	RestartNonce   *int64                 `json:"restartNonce"`
	Job            *job                   `json:"job"`
	JobReference   *v1beta1.JobReference  `json:"jobReference"`
	Savepoint      *v1beta1.SavepointSpec `json:"savepoint"`
	Template       struct {
		Spec struct {
			FlinkVersion string `json:"flinkVersion"`
			RestartNonce *int64 `json:"restartNonce"`
			Job          *job   `json:"job"`
		} `json:"spec"`
	} `json:"template"`
}

// job is what the views read of a spec of a job.
type job struct {
	State       string `json:"state"`
	UpgradeMode string `json:"upgradeMode"`
	Parallelism int64  `json:"parallelism"`
}

// status is the status of a FlinkDeployment, which has all that a session job's has, and what other kinds add.
type status struct {
	v1beta1.FlinkDeploymentStatus `json:",inline"`

	State           string                       `json:"state"`
	Path            string                       `json:"path"`
	ResultTimestamp string                       `json:"resultTimestamp"`
	Failures        int64                        `json:"failures"`
	BlueGreenState  string                       `json:"blueGreenState"`
	Transition      *v1beta1.BlueGreenTransition `json:"transition"`
	FailedAttempt   *v1beta1.BlueGreenAttempt    `json:"failedAttempt"`
}

// read reads a resource. Of one that cannot be read, what was read so far counts, and err says what could not.
func read(object *unstructured.Unstructured) (subject, error) {
	s := subject{Unstructured: object}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(
		map[string]any{"spec": fieldOf(object, "spec"), "status": fieldOf(object, "status")}, &s.content)
	return s, err
}

// fieldOf is a field that is an object; another one is as if it were empty.
func fieldOf(object *unstructured.Unstructured, name string) map[string]any {
	content, _ := object.Object[name].(map[string]any)
	if content == nil {
		content = map[string]any{}
	}
	return content
}

// SecretsOf are the secrets of a resource, with those of the specs that its status records.
func SecretsOf(object *unstructured.Unstructured) redact.Secrets {
	s, _ := read(object) // what cannot be read has none
	return s.secrets()
}

// secrets are those of the resource, with those of the specs that its status records.
func (s subject) secrets() redact.Secrets {
	kind, known := kinds.Of(s.GetKind())
	if !known {
		return redact.Secrets{}
	}
	specs, addresses := kind.Specs(s.Object)
	recorded := s.Status.ReconciliationStatus
	for _, text := range []string{recorded.LastReconciledSpec, recorded.LastStableSpec} {
		if r, err := v1beta1.ParseReconciledDeployment(text); err == nil {
			specs = append(specs, &r.Spec)
		}
	}
	specs = append(specs, &v1beta1.FlinkDeploymentSpec{Job: &v1beta1.JobSpec{Args: addresses}})
	return flinkconf.Secrets(flinkconf.Operator{}, specs...)
}

// jobSpec is the spec of the job; nil for a session cluster and a snapshot.
func (s subject) jobSpec() *job {
	if s.Spec.Job != nil {
		return s.Spec.Job
	}
	return s.Spec.Template.Spec.Job
}

// condition is the one of a type; nil when there is none.
func (s subject) condition(of string) *metav1.Condition {
	for i := range s.Status.Conditions {
		if s.Status.Conditions[i].Type == of {
			return &s.Status.Conditions[i]
		}
	}
	return nil
}

// holds is the condition of a type if it is True; nil otherwise.
func (s subject) holds(of string) *metav1.Condition {
	if c := s.condition(of); c != nil && c.Status == metav1.ConditionTrue {
		return c
	}
	return nil
}

// since is when something began; nil where it is not known.
func since(t *metav1.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	at := t.UTC()
	return &at
}
