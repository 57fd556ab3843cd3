package subject

import (
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/options"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/podfailure"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// Subject is the snapshot with what follows from it at once: the spec that counts, the spec acted on last, and the
// status as this round will leave it. Rules read it and write only Want and Events.
type Subject struct {
	// Seen is the snapshot.
	Seen Snapshot
	// Spec is what counts: the resource's own when it validates, with what an autoscaler had set in the recorded one,
	// else the last accepted one.
	Spec v1beta1.FlinkDeploymentSpec
	// KeepsAutoscaled is true when Spec has something of an autoscaler.
	KeepsAutoscaled bool
	// Generation is Spec's.
	Generation int64
	// Problem says why the resource's spec does not count, with every finding; empty when it does. Headline is the first
	// of them, in the words of the Java operator.
	Problem, Headline string
	// Last is the spec acted on last; nil before the first deployment.
	Last *v1beta1.ReconciledDeployment
	// Deployed is Last's generation; 0 means that it is not known, or that there is none.
	Deployed int64
	// LastStable is the newest spec known to run well; nil when there is none or it cannot be read.
	LastStable *v1beta1.ReconciledDeployment
	// Unreadable says why status.reconciliationStatus cannot be read; empty when it can.
	Unreadable string
	// Want is the status as this round leaves it.
	Want v1beta1.FlinkDeploymentStatus
	// Job is the job as Flink lists it; nil when it does not, or does not answer.
	Job *Job
	// Reran is true when a job that had ended runs again under the same ID.
	Reran bool
	// PodFailure is why the JobManager cannot start; nil when nothing says so.
	PodFailure *podfailure.Failure
	// Ingress is the condition IngressReady as this round leaves it; nil means none.
	Ingress *metav1.Condition
	// Events are published with the plan.
	Events []plan.Event
	// Notes go to the log.
	Notes []string
	// Options are those of what runs; before the first deployment those of the spec.
	options.Options

	// observed caches config.
	observed flinkconf.Config
	// secrets caches what Hide knows.
	secrets *redact.Secrets
}

// New makes the subject of a snapshot. Accept and Observe, in this order, are the caller's.
func New(s Snapshot) *Subject {
	recorded := s.recorded()
	v := &Subject{
		Seen: s, Want: *recorded.status.DeepCopy(), Spec: *s.Resource.Spec.DeepCopy(), Generation: s.Resource.Generation,
		Last: copied(recorded.last), LastStable: copied(recorded.stable), Unreadable: recorded.unreadable,
	}
	v.Options = options.Of(v.config)
	if recorded.note != "" {
		v.Note(recorded.note)
	}
	v.Deployed = v.Want.ObservedGeneration
	if other := v.Want.DeployedGeneration; other != nil {
		v.Deployed = *other
	}
	for i := range v.Want.Conditions {
		if c := v.Want.Conditions[i]; c.Type == summary.IngressReady {
			v.Ingress = &c
		}
	}
	v.beginStatus()
	v.keepAutoscaled()
	v.hideSeen()
	return v
}

// Running is the spec that the cluster was started with: after a rollback the last stable one, else the one acted on
// last. Nil before the first deployment.
func (v *Subject) Running() *v1beta1.FlinkDeploymentSpec {
	switch {
	case v.Last == nil:
		return nil
	case v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack && v.LastStable != nil:
		return &v.LastStable.Spec
	}
	return &v.Last.Spec
}

// Accept decides which spec counts. A spec that does not validate leaves the last accepted one in force, running if the
// interrupted operation was on its way to run.
func (v *Subject) Accept() {
	r := v.Seen.Resource
	v.Problem, v.Headline = v.Seen.SpecProblem, v.Seen.SpecProblem
	if v.Problem == "" {
		findings := validation.Problems(validation.Deployment(validation.DeploymentInput{
			Namespace: r.Namespace, Name: r.Name, Labels: r.Labels, Spec: r.Spec, Status: r.Status, Operator: v.Seen.Operator,
		}))
		v.Problem, v.Headline = validation.Message(findings), validation.Headline(findings)
	}
	if v.Problem == "" || v.Last == nil {
		return
	}
	v.Spec = *v.Last.Spec.DeepCopy()
	v.Generation = v.Deployed
	switch r.Status.ReconciliationStatus.State {
	case v1beta1.ReconciliationUpgrading, v1beta1.ReconciliationRollingBack:
		if v.Spec.Job != nil {
			v.Spec.Job.State = v1beta1.JobStateRunning
		}
	}
}

// beginStatus fills in what the status of a resource that was never deployed begins with, as the Java operator's does.
func (v *Subject) beginStatus() {
	status := &v.Want
	if status.ReconciliationStatus.LastReconciledSpec != "" {
		return
	}
	if status.JobManagerDeploymentStatus == "" {
		status.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	}
	if status.ReconciliationStatus.State == "" {
		status.ReconciliationStatus.State = v1beta1.ReconciliationUpgrading
	}
}

// Resource is the FlinkDeployment as read.
func (v *Subject) Resource() *v1beta1.FlinkDeployment { return v.Seen.Resource }

// Intent is the open intent; nil means none.
func (v *Subject) Intent() *v1beta1.Intent { return v.Want.Intent }

// StoresIntent reports whether this round stores an intent of its own.
func (v *Subject) StoresIntent() bool {
	stored := v.Resource().Status.Intent
	return v.Want.Intent != nil && (stored == nil || stored.OperationID != v.Want.Intent.OperationID)
}

// BeginsOperation reports whether this round stores an intent where none was open.
func (v *Subject) BeginsOperation() bool {
	stored := v.Resource().Status.Intent
	return v.StoresIntent() && (stored == nil || stored.Step == v1beta1.StepReleased)
}

// Now is the time of the look, as status has it.
func (v *Subject) Now() metav1.Time { return metav1.NewTime(v.Seen.Now.Truncate(time.Second)) }

func (v *Subject) millis() string { return strconv.FormatInt(v.Seen.Now.UnixMilli(), 10) }

// IsSession tells the kind of cluster by what was deployed last, else by the spec.
func (v *Subject) IsSession() bool {
	if v.Last != nil {
		return v.Last.Spec.Job == nil
	}
	return v.Spec.Job == nil
}

// IsStandalone reports whether the cluster may be a standalone one, by what was deployed last or by the spec. Only
// the Java operator makes those.
func (v *Subject) IsStandalone() bool {
	if v.Last != nil && v.Last.Spec.DesiredMode() == v1beta1.ModeStandalone {
		return true
	}
	return v.Spec.DesiredMode() == v1beta1.ModeStandalone
}

// WantsRunning reports whether the spec that counts asks for a running cluster.
func (v *Subject) WantsRunning() bool {
	return v.Spec.Job == nil || v.Spec.Job.DesiredState() == v1beta1.JobStateRunning
}

// LastRunning reports whether the spec acted on last is one of a running cluster.
func (v *Subject) LastRunning() bool {
	return v.Last != nil && (v.Last.Spec.Job == nil || v.Last.Spec.Job.DesiredState() == v1beta1.JobStateRunning)
}

// Stateless reports whether the spec lets the job start without the state of the one before.
func Stateless(spec *v1beta1.FlinkDeploymentSpec) bool {
	return spec.Job == nil || spec.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeStateless
}

// MayStartEmpty reports whether the job may be started without the state of the one before. A spec that does not count
// still says what its user thinks of the state: while either of the two wants it kept, it is kept.
func (v *Subject) MayStartEmpty() bool {
	if v.Problem != "" && (v.Seen.SpecProblem != "" || !Stateless(&v.Seen.Resource.Spec)) {
		return v.IsSession()
	}
	return Stateless(&v.Spec)
}

// AsRecorded is how a job that may start empty is started again: empty, or from the savepoint that its first start was
// given.
func (v *Subject) AsRecorded() v1beta1.UpgradeMode {
	if job := v.Last.Spec.Job; job != nil && job.UpgradeMode == v1beta1.UpgradeModeSavepoint &&
		v.Want.JobStatus.UpgradeSavepointPath != "" {
		return v1beta1.UpgradeModeSavepoint
	}
	return v1beta1.UpgradeModeStateless
}

// Owned reports whether the Deployment was made for this resource: its owner reference carries our UID.
func (v *Subject) Owned(d *appsv1.Deployment) bool {
	for _, o := range d.OwnerReferences {
		if o.UID == v.Seen.Resource.UID {
			return true
		}
	}
	return false
}

// OwnOperation is the operation that a Deployment was prepared by; empty means none of ours.
func OwnOperation(d *appsv1.Deployment) string { return d.Annotations[v1beta1.AnnotationOperation] }

// Tell publishes an event with the plan.
func (v *Subject) Tell(e plan.Event) { v.Events = append(v.Events, e) }

// Note adds a line to the log of the round.
func (v *Subject) Note(line string) { v.Notes = append(v.Notes, line) }

// Since is how long ago a time was.
func (v *Subject) Since(t metav1.Time) time.Duration { return v.Seen.Now.Sub(t.Time) }
