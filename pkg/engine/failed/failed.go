package failed

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// tooLarge are the plans that show, in the status that a round left behind, that the next one was refused because of
// its size. Each plan is for an API server that refuses the one before it, too. refused is that next status.
func tooLarge(k Kind, refused any) []plan.Plan {
	left, kept := k.Left(), false
	if refused != nil {
		_, next := k.Parts(refused)
		kept = loss.KeepFromRefused(left.Look, *next.Job, next.Progress.LostProgress, next.Progress.Intent)
	}
	p := left.decided(statusRefused(left.Look))
	all := []plan.Plan{p, left.Form(smaller(left.Look, p.Situation))}
	if kept {
		all = append(all, tooLarge(k, nil)[1])
	}
	return all
}

// statusRefused says that the next status was refused because of its size.
func statusRefused(v *world.Look) decision.Decision {
	shown := &decision.Shown{
		Error: report.ErrorText(v, status.TypeReconciliation, statusTooLarge, fail.ReasonTooLarge),
	}
	d := decision.Decision{Shown: shown, Result: decision.Result{
		Situation: report.TriedIn(v), Stall: &plan.Cause{Reason: fail.ReasonTooLarge, Message: statusTooLarge},
		KeepsRefusal: true,
	}}
	if !slices.ContainsFunc(v.Resource().Status.Conditions, facts.TellsTooLarge) {
		d.Events = append(d.Events, plan.Event{
			Warning: true, Reason: fail.ReasonTooLarge, Component: plan.ComponentOperator, Message: statusTooLarge,
		})
	}
	return d
}

// smaller is, once that is decided, the plan for an API server that refuses the status of it, too: it leaves most
// conditions and the long messages out, so that it is smaller than what is stored.
func smaller(v *world.Look, s plan.Situation) plan.Plan {
	left := v.Resource().Status
	small := v.Want.DeepCopy()
	v.Host.Trim(small)
	small.Error, small.Intent = left.Error, left.Intent.DeepCopy()
	small.Conditions = slices.DeleteFunc(small.Conditions, func(c metav1.Condition) bool {
		return slices.Contains(derived, c.Type)
	})
	for i := range small.Conditions {
		switch c := &small.Conditions[i]; c.Type {
		case summary.Ready, summary.Stalled:
			c.Message = statusTooLargeShort
		case summary.StateSafe:
			c.Message = "see the event " + c.Reason
		}
	}
	less := plan.Plan{Situation: s}
	if !status.SameMeaning(left, *small) {
		less.Status = small
	}
	return less
}

// derived are the conditions that each look derives again from the rest of the status.
var derived = []string{summary.Running, summary.SpecAccepted, summary.ClusterAvailable, summary.JobRunning}

// statusTooLargeShort is for a status that has no room for statusTooLarge.
const statusTooLargeShort = "the status does not fit into etcd: shorten the spec, see the event " + fail.ReasonTooLarge

// statusTooLarge names no sizes: a message that changes would be told again and again.
const statusTooLarge = "the API server refused the status: with it the resource would be larger than etcd takes, 1.5 " +
	"MiB by default." +
	" Status holds the spec twice, so shorten the spec: put files and long texts of job.args, flinkConfiguration," +
	" logConfiguration and podTemplate into ConfigMaps. What needs a larger status waits until then"
