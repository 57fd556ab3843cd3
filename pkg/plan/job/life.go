package job

import (
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// Life is the life of one Flink job as one decision sees it: what was seen with what follows from it at once, the spec
// that counts, the spec acted on last, and the status as this round will leave it. Rules read it and write only Want
// and Events.
type Life struct {
	// Seen is what was seen.
	Seen *Seen
	// Host runs the job.
	Host Host
	// Starter starts it there.
	Starter Starter
	// Stopper takes down what it runs on.
	Stopper Stopper
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
	// Requests are made again unless an operation is open: status records them, and Flink does not know them.
	Requests []plan.Action
	// Pending says which change of the spec waits for what; nil when none does.
	Pending *plan.Cause
	// Refused says which change of the spec needs a person; nil when none does.
	Refused *plan.Cause
	// Unwell says why a job that does not get on is not restarted; nil when it is not so.
	Unwell *plan.Cause
	// Stuck says why what does not become stable is not rolled back; nil when it is not so.
	Stuck *plan.Cause
	// Untouched leaves the status as it is stored.
	Untouched bool
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

// New makes the life of a job from what was seen of it. The caller sets its Host. Accept and ObserveJob, in this order,
// are the caller's, too.
func New(s *Seen) *Life {
	recorded := s.recorded()
	v := &Life{
		Seen: s, Want: *recorded.status.DeepCopy(), Spec: *s.Resource.Spec.DeepCopy(), Generation: s.Resource.Generation,
		Last: copied(recorded.last), LastStable: copied(recorded.stable), Unreadable: recorded.unreadable,
	}
	v.Options = options.Of(v.Config)
	if recorded.note != "" {
		v.Note(recorded.note)
	}
	v.Deployed = v.Want.ObservedGeneration
	if other := v.Want.DeployedGeneration; other != nil {
		v.Deployed = *other
	}
	v.beginStatus()
	v.keepAutoscaled()
	v.hideSeen()
	return v
}

// Running is the spec that the cluster was started with: after a rollback the last stable one, else the one acted on
// last. Nil before the first deployment.
func (v *Life) Running() *v1beta1.FlinkDeploymentSpec {
	switch {
	case v.Last == nil:
		return nil
	case v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack && v.LastStable != nil:
		return &v.LastStable.Spec
	}
	return &v.Last.Spec
}

// Accept decides which spec counts, given what validation finds. A spec that does not validate leaves the last accepted
// one in force, running if the interrupted operation was on its way to run.
func (v *Life) Accept(found *apis.FieldError) {
	v.Problem, v.Headline = v.Seen.SpecProblem, v.Seen.SpecProblem
	if v.Problem == "" {
		findings := validation.Problems(found)
		v.Problem, v.Headline = validation.Message(findings), validation.Headline(findings)
	}
	if v.Problem == "" || v.Last == nil {
		return
	}
	v.Spec = *v.Last.Spec.DeepCopy()
	v.Generation = v.Deployed
	switch v.Seen.Resource.Status.ReconciliationStatus.State {
	case v1beta1.ReconciliationUpgrading, v1beta1.ReconciliationRollingBack:
		if v.Spec.Job != nil {
			v.Spec.Job.State = v1beta1.JobStateRunning
		}
	}
}

// beginStatus fills in what the status of a resource that was never deployed begins with, as the Java operator's does.
func (v *Life) beginStatus() {
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
func (v *Life) Resource() *v1beta1.FlinkDeployment { return v.Seen.Resource }

// Intent is the open intent; nil means none.
func (v *Life) Intent() *v1beta1.Intent { return v.Want.Intent }

// StoresIntent reports whether this round stores an intent of its own.
func (v *Life) StoresIntent() bool {
	stored := v.Resource().Status.Intent
	return v.Want.Intent != nil && (stored == nil || stored.OperationID != v.Want.Intent.OperationID)
}

// BeginsOperation reports whether this round stores an intent where none was open.
func (v *Life) BeginsOperation() bool {
	stored := v.Resource().Status.Intent
	return v.StoresIntent() && (stored == nil || stored.Step == v1beta1.StepReleased)
}

// Now is the time of the look, as status has it.
func (v *Life) Now() metav1.Time { return metav1.NewTime(v.Seen.Now.Truncate(time.Second)) }

func (v *Life) millis() string { return strconv.FormatInt(v.Seen.Now.UnixMilli(), 10) }

// IsApplication reports whether the job's resource has a cluster of its own for it, which a session job has not.
func (v *Life) IsApplication() bool { return v.Seen.kind() == v1beta1.JobKindFlinkDeployment }

// IsSession tells the kind of cluster by what was deployed last, else by the spec.
func (v *Life) IsSession() bool {
	if v.Last != nil {
		return v.Last.Spec.Job == nil
	}
	return v.Spec.Job == nil
}

// WantsRunning reports whether the spec that counts asks for a running cluster.
func (v *Life) WantsRunning() bool {
	return v.Spec.Job == nil || v.Spec.Job.DesiredState() == v1beta1.JobStateRunning
}

// LastRunning reports whether the spec acted on last is one of a running cluster.
func (v *Life) LastRunning() bool {
	return v.Last != nil && (v.Last.Spec.Job == nil || v.Last.Spec.Job.DesiredState() == v1beta1.JobStateRunning)
}

// Stateless reports whether the spec lets the job start without the state of the one before.
func Stateless(spec *v1beta1.FlinkDeploymentSpec) bool {
	return spec.Job == nil || spec.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeStateless
}

// MayStartEmpty reports whether the job may be started without the state of the one before. A spec that does not count
// still says what its user thinks of the state: while either of the two wants it kept, it is kept.
func (v *Life) MayStartEmpty() bool {
	if v.Problem != "" && (v.Seen.SpecProblem != "" || !Stateless(&v.Seen.Resource.Spec)) {
		return v.IsSession()
	}
	return Stateless(&v.Spec)
}

// asRecorded is how a job that may start empty is started again: empty, or from the savepoint that its first start was
// given.
func (v *Life) asRecorded() v1beta1.UpgradeMode {
	if job := v.Last.Spec.Job; job != nil && job.UpgradeMode == v1beta1.UpgradeModeSavepoint &&
		v.Want.JobStatus.UpgradeSavepointPath != "" {
		return v1beta1.UpgradeModeSavepoint
	}
	return v1beta1.UpgradeModeStateless
}

// Tell publishes an event with the plan.
func (v *Life) Tell(e plan.Event) { v.Events = append(v.Events, e) }

// Note adds a line to the log of the round.
func (v *Life) Note(line string) { v.Notes = append(v.Notes, line) }

// Since is how long ago a time was.
func (v *Life) Since(t metav1.Time) time.Duration { return v.Seen.Now.Sub(t.Time) }
