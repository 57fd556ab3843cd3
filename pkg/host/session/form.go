package session

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// A FlinkSessionJob has the fields of a FlinkDeployment that its job needs, and deploymentName in place of the cluster.
// The life of a job reads and writes the form of a FlinkDeployment; what is stored is the session job's own.
//
//	FlinkSessionJob                          in the form of a FlinkDeployment
//	metadata                                 the same
//	spec.job, restartNonce,                  the same
//	flinkConfiguration
//	spec.deploymentName                      -: the one acted on first counts, see ClusterOf
//	status                                   the same; the recorded specs without deploymentName
//	-                                        jobManagerDeploymentStatus: that of the cluster, as seen

// SpecForm is a spec in the form of a FlinkDeployment's.
func SpecForm(s v1beta1.FlinkSessionJobSpec) v1beta1.FlinkDeploymentSpec {
	return v1beta1.FlinkDeploymentSpec{
		Job: s.Job, RestartNonce: s.RestartNonce, FlinkConfiguration: s.FlinkConfiguration,
	}
}

// Recorded is a session job in the form of a FlinkDeployment, with what its status records, decoded once for all
// decisions about the same read of it. It is never changed.
type Recorded struct {
	of   *v1beta1.FlinkSessionJob
	form *v1beta1.FlinkDeployment // without the cluster's jobManagerDeploymentStatus
	// status is what form records.
	status *world.Recorded
	// last is lastReconciledSpec; nil when there is none, or it cannot be read.
	Last *v1beta1.FlinkSessionJobSpec
}

// ReadRecorded brings a session job into that form.
func ReadRecorded(r *v1beta1.FlinkSessionJob) *Recorded {
	d := &Recorded{of: r}
	d.form, d.Last = form(r)
	d.status = world.ReadRecorded(d.form)
	return d
}

// recorded is what the session job records.
func (s *Snapshot) recorded() *Recorded {
	if s.Recorded != nil && s.Recorded.of == s.Resource {
		return s.Recorded
	}
	return ReadRecorded(s.Resource)
}

// on is the form of a session job whose cluster has a JobManager that is so.
func (d *Recorded) on(jm v1beta1.JobManagerDeploymentStatus) (*v1beta1.FlinkDeployment, *world.Recorded) {
	r := *d.form
	r.Status.JobManagerDeploymentStatus = jm
	return &r, d.status.In(&r)
}

func form(r *v1beta1.FlinkSessionJob) (d *v1beta1.FlinkDeployment, last *v1beta1.FlinkSessionJobSpec) {
	r = r.DeepCopy()
	s := r.Status
	d = &v1beta1.FlinkDeployment{ObjectMeta: r.ObjectMeta, Spec: SpecForm(r.Spec)}
	d.Status = v1beta1.FlinkDeploymentStatus{
		JobStatus: s.JobStatus, Error: s.Error, ObservedGeneration: s.ObservedGeneration,
		DeployedGeneration: s.DeployedGeneration, LifecycleState: s.LifecycleState,
		LifecycleSince: s.LifecycleSince, Conditions: s.Conditions,
		ReconciliationStatus: s.ReconciliationStatus, Progress: s.Progress, ClusterInfo: s.ClusterInfo,
	}
	recorded := &d.Status.ReconciliationStatus
	stable := recorded.LastStableSpec
	recorded.LastReconciledSpec, last = recordForm(s.ReconciliationStatus.LastReconciledSpec)
	if recorded.LastStableSpec = recorded.LastReconciledSpec; stable != s.ReconciliationStatus.LastReconciledSpec {
		recorded.LastStableSpec, _ = recordForm(stable)
	}
	return d, last
}

// recordForm is a recorded spec in the form of a FlinkDeployment's, and the spec itself. One that cannot be read stays
// as it is, and nobody can read it then either.
func recordForm(text string) (string, *v1beta1.FlinkSessionJobSpec) {
	if text == "" {
		return "", nil
	}
	own, err := v1beta1.ParseReconciledSessionJob(text)
	if err != nil {
		return text, nil
	}
	printed, err := v1beta1.ReconciledDeployment{Spec: SpecForm(own.Spec), Meta: own.Meta}.Text()
	if err != nil {
		return text, &own.Spec
	}
	return printed, &own.Spec
}

// StatusOf is the status of a session job, from its form. deploymentName is put into the recorded specs again; those
// that did not change keep their text.
func StatusOf(r *v1beta1.FlinkSessionJob, formed, next *v1beta1.FlinkDeploymentStatus) *v1beta1.FlinkSessionJobStatus {
	s := next.DeepCopy()
	own := &v1beta1.FlinkSessionJobStatus{
		JobStatus: s.JobStatus, Error: s.Error, ObservedGeneration: s.ObservedGeneration,
		DeployedGeneration: s.DeployedGeneration, LifecycleState: s.LifecycleState,
		LifecycleSince: s.LifecycleSince, Conditions: s.Conditions,
		ReconciliationStatus: s.ReconciliationStatus, Progress: s.Progress, ClusterInfo: s.ClusterInfo,
	}
	stored := map[string]string{
		formed.ReconciliationStatus.LastReconciledSpec: r.Status.ReconciliationStatus.LastReconciledSpec,
		formed.ReconciliationStatus.LastStableSpec:     r.Status.ReconciliationStatus.LastStableSpec,
	}
	record := func(text string) string {
		if same, unchanged := stored[text]; unchanged {
			return same
		}
		return ownRecord(text, ClusterOf(r))
	}
	own.ReconciliationStatus.LastReconciledSpec = record(s.ReconciliationStatus.LastReconciledSpec)
	own.ReconciliationStatus.LastStableSpec = record(s.ReconciliationStatus.LastStableSpec)
	return own
}

// ownRecord is a recorded spec in the session job's own form.
func ownRecord(text, deploymentName string) string {
	if text == "" {
		return ""
	}
	d, err := v1beta1.ParseReconciledDeployment(text)
	if err != nil {
		return text
	}
	printed, err := v1beta1.ReconciledSessionJob{
		Spec: v1beta1.FlinkSessionJobSpec{
			Job: d.Spec.Job, RestartNonce: d.Spec.RestartNonce, FlinkConfiguration: d.Spec.FlinkConfiguration,
			DeploymentName: deploymentName,
		},
		Meta: d.Meta,
	}.Text()
	if err != nil {
		return text
	}
	return printed
}
