package world

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// Specs are the specs that a decision knows: what counts of what the user asked for, what was acted on last, and what
// is known to run well. They know nothing of the world. Several decisions may have the same ones: none is changed.
type Specs struct {
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
	// ProblemReason is the reason of the condition that says so.
	ProblemReason plan.Reason
	// Last is the spec acted on last; nil before the first deployment.
	Last *v1beta1.ReconciledDeployment
	// Deployed is Last's generation; 0 means that it is not known, or that there is none.
	Deployed int64
	// LastStable is the newest spec known to run well; nil when there is none or it cannot be read.
	LastStable *v1beta1.ReconciledDeployment
	// Unreadable says why status.reconciliationStatus cannot be read; empty when it can.
	Unreadable string

	// changed is difference, of Spec and of what was Last then: whoever has another Spec count forgets it.
	changed *specdiff.Change
	then    *v1beta1.ReconciledDeployment
}

// difference is what the spec that counts changes of the one acted on last, which must be there.
func (v *Specs) difference() specdiff.Change {
	if v.changed == nil || v.then != v.Last {
		v.changed, v.then = changeOf(v.Last, &v.Spec), v.Last
	}
	return *v.changed
}

// changeOf is what a spec changes of a recorded one; nil where there is none.
func changeOf(last *v1beta1.ReconciledDeployment, spec *v1beta1.FlinkDeploymentSpec) *specdiff.Change {
	if last == nil {
		return nil
	}
	change := specdiff.Classify(&last.Spec, spec, spec.DesiredMode())
	return &change
}

// count has another spec count.
func (v *Specs) count(spec v1beta1.FlinkDeploymentSpec) { v.Spec, v.changed = spec, nil }

// IsSession tells the kind of cluster by what was deployed last, else by the spec.
func (v *Specs) IsSession() bool {
	if v.Last != nil {
		return v.Last.Spec.Job == nil
	}
	return v.Spec.Job == nil
}

// WantsRunning reports whether the spec that counts asks for a running cluster.
func (v *Specs) WantsRunning() bool {
	return v.Spec.Job == nil || v.Spec.Job.DesiredState() == v1beta1.JobStateRunning
}

// LastRunning reports whether the spec acted on last is one of a running cluster.
func (v *Specs) LastRunning() bool {
	return v.Last != nil && (v.Last.Spec.Job == nil || v.Last.Spec.Job.DesiredState() == v1beta1.JobStateRunning)
}

// IsFirst reports whether what is recorded is still the first deployment.
func (v *Specs) IsFirst() bool {
	return v.Last != nil && v.Last.Meta != nil && v.Last.Meta.FirstDeployment
}

// Stateless reports whether the spec lets the job start without the state of the one before.
func Stateless(spec *v1beta1.FlinkDeploymentSpec) bool {
	return spec.Job == nil || spec.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeStateless
}
