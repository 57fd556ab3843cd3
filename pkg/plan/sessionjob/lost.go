package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// lost decides for a job that should run and does not. First match wins:
//
//	the job                                    then
//	is being started                           -
//	is listed                                  as an application's: one that was cancelled by somebody, or failed and is
//	                                           to
//	                                           be restarted, starts again
//	may be brought back                        -
//	has ended, and that is recorded            the same
//	is Gone, may start empty                   start it again
//	is Gone, keeps its state                   a person decides: the session cluster was replaced, and the job had
//	                                           completed what status says
func lost(v view) (job.Result, bool) {
	if !v.LastRunning() || v.Intent() != nil {
		return job.Result{}, false
	}
	standing, _ := v.Standing()
	if standing == job.There || v.MayStartEmpty() || v.Want.JobStatus.State.IsTerminal() {
		return job.RecoverLost(v.Life)
	}
	message := "Flink no longer lists the job: the session cluster was replaced, and it found no high-availability data" +
		" that would have brought the job back. Manual restore required. " + newestKnown(v)
	if !job.Report(v.Life).Shows() {
		job.Report(v.Life).Fail(plan.ReasonSessionClusterLost, message)
	}
	return job.Result{Situation: plan.StateLost, Stall: &plan.Cause{
		Reason: plan.ReasonSessionClusterLost, Message: message + v.Remedy(),
	}}, true
}

// newestKnown says from what the job could start, as far as status knows.
func newestKnown(v view) string {
	status := v.Want.JobStatus
	if known := job.KnownCheckpoint(v.Want.JobStatus); known != nil && known.Path != "" {
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
