package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// lost decides for a job that should run and does not. First match wins:
//
//	the job                                    then
//	is being started                           -
//	is listed                                  as an application's: one that was cancelled by somebody, or failed and is
//	                                           to be restarted, starts again
//	may be brought back                        -
//	has ended, and that is recorded            the same
//	is Gone, may start empty                   start it again
//	is Gone, keeps its state                   a person decides: the session cluster was replaced, and the job had
//	                                           completed what status says
func lost(v *session.Job) decision.Decision {
	if !v.Look.LastRunning() || v.Look.Intent() != nil {
		return decision.Pass()
	}
	standing, _ := v.Standing()
	if standing == world.There || v.Look.MayStartEmpty() || v.Look.Want.JobStatus.State.IsTerminal() {
		return decide.RecoverLost(v.Look)
	}
	message := "Flink no longer lists the job: the session cluster was replaced, and it found no high-availability data" +
		" that would have brought the job back. Manual restore required. " + newestKnown(
		v,
	)
	d := decision.Settle(decision.Result{Situation: plan.StateLost, Stall: &plan.Cause{
		Reason: plan.ReasonSessionClusterLost, Message: message + v.Look.Remedy(),
	}})
	if !report.Shows(v.Look) {
		d.Shown = report.Failure(v.Look, plan.ReasonSessionClusterLost, message)
	}
	return d
}

// newestKnown says from what the job could start, as far as status knows.
func newestKnown(v *session.Job) string {
	status := v.Look.Want.JobStatus
	if known := facts.KnownCheckpoint(v.Look.Want.JobStatus); known != nil && known.Path != "" {
		return "The newest checkpoint that is known is " + known.Path + "; a newer one may be beside it. "
	}
	if info := status.SavepointInfo; info != nil && info.LastSavepoint != nil && info.LastSavepoint.Location != "" {
		return "The newest savepoint that is known is " + info.LastSavepoint.Location + ". "
	}
	if status.UpgradeSavepointPath != "" {
		return "No checkpoint of it is known; it was started from " + status.UpgradeSavepointPath + ". "
	}
	return "No checkpoint of it is known. "
}
