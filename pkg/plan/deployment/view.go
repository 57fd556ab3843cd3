package deployment

import (
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// view is the snapshot with what follows from it at once: the spec that counts, the spec acted on last, and the status as this
// round will leave it. Rules read the view and write only want and events.
type view struct {
	s Snapshot
	// spec is what counts: the resource's own when it validates, else the last accepted one.
	spec v1beta1.FlinkDeploymentSpec
	// generation is spec's.
	generation int64
	// problem says why the resource's spec does not count, with every finding; empty when it does. headline is the first of them, in the
	// words of the Java operator.
	problem, headline string
	// last is the spec acted on last; nil before the first deployment.
	last *v1beta1.ReconciledDeployment
	// unreadable says why status.reconciliationStatus cannot be read; empty when it can.
	unreadable string
	// observed caches config.
	observed flinkconf.Config
	// want is the status as this round leaves it.
	want v1beta1.FlinkDeploymentStatus
	// job is the job as Flink lists it; nil when it does not, or does not answer.
	job *Job
	// broken is why the JobManager cannot start; nil when nothing says so.
	broken *breakage
	// events are published with the plan.
	events []plan.Event
	// notes go to the log.
	notes []string
}

func newView(s Snapshot) *view {
	v := &view{s: s, want: *s.Resource.Status.DeepCopy(), spec: *s.Resource.Spec.DeepCopy(), generation: s.Resource.Generation}
	if text := s.Resource.Status.ReconciliationStatus.LastReconciledSpec; text != "" {
		last, err := v1beta1.ParseReconciledDeployment(text)
		if err != nil {
			v.unreadable = err.Error()
		} else {
			v.last = &last
		}
	}
	return v
}

// accept decides which spec counts. A spec that does not validate leaves the last accepted one in force, running if the interrupted
// operation was on its way to run.
func (v *view) accept() {
	r := v.s.Resource
	v.problem, v.headline = v.s.SpecProblem, v.s.SpecProblem
	if v.problem == "" {
		findings := validation.Deployment(validation.DeploymentInput{
			Namespace: r.Namespace, Name: r.Name, Labels: r.Labels, Spec: r.Spec, Status: r.Status, Operator: v.s.Operator,
		})
		v.problem, v.headline = validation.Message(findings), validation.Headline(findings)
	}
	if v.problem == "" || v.last == nil {
		return
	}
	v.spec = *v.last.Spec.DeepCopy()
	v.generation = r.Status.ObservedGeneration
	switch r.Status.ReconciliationStatus.State {
	case v1beta1.ReconciliationUpgrading, v1beta1.ReconciliationRollingBack:
		if v.spec.Job != nil {
			v.spec.Job.State = v1beta1.JobStateRunning
		}
	}
}

func (v *view) resource() *v1beta1.FlinkDeployment { return v.s.Resource }
func (v *view) intent() *v1beta1.Intent            { return v.want.Intent }
func (v *view) now() metav1.Time                   { return metav1.NewTime(v.s.Now) }
func (v *view) millis() string                     { return strconv.FormatInt(v.s.Now.UnixMilli(), 10) }

// isSession tells the kind of cluster by what was deployed last, else by the spec.
func (v *view) isSession() bool {
	if v.last != nil {
		return v.last.Spec.Job == nil
	}
	return v.spec.Job == nil
}

// wantsRunning reports whether the spec that counts asks for a running cluster.
func (v *view) wantsRunning() bool {
	return v.spec.Job == nil || v.spec.Job.DesiredState() == v1beta1.JobStateRunning
}

// lastRunning reports whether the spec acted on last is one of a running cluster.
func (v *view) lastRunning() bool {
	return v.last != nil && (v.last.Spec.Job == nil || v.last.Spec.Job.DesiredState() == v1beta1.JobStateRunning)
}

// stateless reports whether the spec lets the job start without the state of the one before.
func stateless(spec *v1beta1.FlinkDeploymentSpec) bool {
	return spec.Job == nil || spec.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeStateless
}

// mayStartEmpty reports whether the job may be started without the state of the one before. A spec that does not count still says
// what its user thinks of the state: while either of the two wants it kept, it is kept.
func (v *view) mayStartEmpty() bool {
	if v.problem != "" && (v.s.SpecProblem != "" || !stateless(&v.s.Resource.Spec)) {
		return v.isSession()
	}
	return stateless(&v.spec)
}

// owned reports whether the Deployment was made for this resource: its owner reference carries our UID.
func (v *view) owned(d *appsv1.Deployment) bool {
	for _, o := range d.OwnerReferences {
		if o.UID == v.s.Resource.UID {
			return true
		}
	}
	return false
}

func ownOperation(d *appsv1.Deployment) string { return d.Annotations[v1beta1.AnnotationOperation] }

func (v *view) tell(e plan.Event)                 { v.events = append(v.events, e) }
func (v *view) note(line string)                  { v.notes = append(v.notes, line) }
func (v *view) since(t metav1.Time) time.Duration { return v.s.Now.Sub(t.Time) }
