package operation

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
)

// refuse reports why a job may not start. Nothing is deleted.
func refuse(v *world.Look, c restore.Choice) decision.Result {
	if c.Verdict == plan.Wait {
		return decision.Result{Situation: plan.Unobservable, Wait: plan.Cause{Reason: c.Reason, Message: c.Message}}
	}
	message := strings.TrimSpace(v.Host.HA().Store.Problem + " " + c.Message)
	if c.Reason == plan.ReasonRestoreFailed && facts.HAElsewhere(v) {
		message = "The high-availability options of the spec are not those that the job ran with; set them back to start " +
			"from the data that it left. " + message
	}
	if !report.Shows(v) {
		record.Show(v, report.Failure(v, c.Reason, message))
	}
	return decision.Result{Situation: plan.StateLost, Stall: &plan.Cause{Reason: c.Reason, Message: message}}
}

// suspend records the suspension of a job whose end is recorded, or recorded with it. What becomes of its cluster its
// host says: see Stopper.Rest.
func suspend(v *world.Look, restore v1beta1.UpgradeMode) decision.Result {
	target := v.Spec
	if v.Intent() != nil {
		target = facts.Target(v)
	}
	rest := v.Stopper.Rest() // before another spec counts as the one that runs
	record.Suspended(v, target, restore)
	if len(rest) == 0 {
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerReady
	}
	return decision.Result{Situation: plan.Suspended, Finish: rest, Soon: len(rest) > 0}
}
