package decide

import (
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// Rescaled gives the vertices of a running job another parallelism in place, where the spec asks for nothing else: the
// cluster stays, and Flink restarts the tasks from its newest checkpoint. The spec is recorded as what runs.
//
//	inPlace   the resource requirements   then
//	no        -                           as the rules that follow decide: an upgrade
//	yes       -, Flink has not answered   nothing until it answers
//	          for less than a minute
//	yes       -, for longer; or the job   as the rules that follow decide: an upgrade
//	          has ended, or is not listed
//	yes       Absent: Flink says no       as the rules that follow decide: an upgrade
//	yes       Unknown                     nothing until Flink answers
//	yes       the spec no longer says     as the rules that follow decide: an upgrade
//	          that of one of its vertices
//	yes       as the spec asks            recorded
//	yes       others                      that it is begun is stored; then asked for, and recorded
//
// Without that, who takes the change back before it is recorded would leave the job as it was rescaled.
func Rescaled(v *world.Look) decision.Decision {
	diff := specdiff.Change{}
	if v.Last != nil {
		diff = v.Changed()
	}
	switch {
	case !rescalesInPlace(v, diff) || v.Problem != "":
		return decision.Pass()
	case v.Job == nil && world.Unanswered(v):
		return decision.Settle(decision.Unobservable("the job", v.Seen.Flink.Jobs.Why()))
	case v.Job == nil || v.Job.State.IsTerminal():
		return decision.Pass()
	}
	now, known := v.Seen.Flink.Requirements.Get()
	switch {
	case v.Seen.Flink.Requirements.IsAbsent():
		return decision.Pass()
	case !known:
		return decision.Settle(
			decision.Unobservable("the resource requirements of the job", v.Seen.Flink.Requirements.Why()),
		)
	case leavesOut(v, now):
		return decision.Pass()
	}
	r := decision.Result{Situation: plan.Waiting, Wait: plan.Cause{
		Reason: plan.ReasonScaling, Message: "the vertices of the job are being rescaled",
	}}
	d := decision.Decision{Marks: []decision.Mark{decision.Scaled}, Events: []plan.Event{specChanged(v, diff)}, Result: r}
	switch wanted, differs := requirements(v, now); {
	case differs && !v.Want.Rescaling:
		r.Record, r.Again = "rescale", true
		return decision.Settle(r, decision.Rescaling)
	case differs:
		d.Result.Actions = []plan.Action{plan.Rescale{
			JobID: v.Want.JobStatus.JobID, Endpoint: v.Host.Endpoint(), Vertices: wanted,
		}}
		d.Events = append([]plan.Event{{
			Reason: plan.ReasonScaling, Component: plan.ComponentJob, Message: "In-place scaling triggered",
		}}, d.Events...)
	}
	return d
}

// AsksRequirements reports whether the job may be rescaled in place, so that Flink is asked what it runs by.
func AsksRequirements(v *world.Look) bool {
	return v.Last != nil && v.Seen.SpecProblem == "" && rescalesInPlace(v, v.Changed())
}

// rescalesInPlace reports whether a change may be made in place. All must hold:
//
//	it is of the parallelism of vertices alone, in native mode, and one of the specs has some
//	kubernetes.operator.job.upgrade.inplace-scaling.enabled is true
//	the job runs by the adaptive scheduler of Flink 1.18 or later
//	nothing else is under way, and what was acted on last is what runs
//	what the autoscaler keeps can be read, where it is given up
func rescalesInPlace(v *world.Look, diff specdiff.Change) bool {
	if diff.Kind != specdiff.Scale || v.Spec.DesiredMode() != v1beta1.ModeNative || !v.AtRest() || !v.WantsRunning() ||
		!v.LastRunning() || v.Want.ReconciliationStatus.State != v1beta1.ReconciliationDeployed ||
		facts.AwaitsStore(v) {
		return false
	}
	c := v.Config()
	if !options.Read(c.Bool, key.JobUpgradeInplaceScalingEnabled, true) ||
		options.Read(c.Enum, key.Scheduler, "Default") != "Adaptive" {
		return false
	}
	if version := v.Running().FlinkVersion; version != "" && !flinkconf.BehaviourOf(version).RescaleAPI {
		return false
	}
	return len(overrides(v.Running()))+len(overrides(&v.Spec)) > 0
}

// leavesOut reports whether the spec no longer says the parallelism of a vertex that the job has: nobody knows what it
// would be without.
func leavesOut(v *world.Look, now map[string]plan.Bounds) bool {
	was, wanted := overrides(v.Running()), overrides(&v.Spec)
	for vertex := range now {
		_, named := was[vertex]
		if _, still := wanted[vertex]; named && !still {
			return true
		}
	}
	return false
}

// overrides are the parallelism of vertices that a spec asks for. What cannot be read is none.
func overrides(spec *v1beta1.FlinkDeploymentSpec) map[string]string {
	flat, err := flinkconf.Flatten(spec.FlinkConfiguration)
	if err != nil {
		return nil
	}
	found, err := store.ReadParallelism(flat.Get(key.ParallelismOverrides))
	if err != nil {
		return nil
	}
	return found
}

// requirements are those that the spec asks for, and whether they differ from what there is. Vertices that the job does
// not have do not count, and a vertex that the spec does not name stays as it is.
func requirements(v *world.Look, now map[string]plan.Bounds) (map[string]plan.Bounds, bool) {
	wanted, differs := make(map[string]plan.Bounds, len(now)), false
	overrides := overrides(&v.Spec)
	for vertex, bounds := range now {
		to, err := strconv.Atoi(overrides[vertex])
		if err == nil && to > 0 && (bounds.Upper != to || bounds.Lower > to) {
			bounds, differs = plan.Bounds{Lower: min(to, bounds.Lower), Upper: to}, true
		}
		wanted[vertex] = bounds
	}
	return wanted, differs
}
