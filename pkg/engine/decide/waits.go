package decide

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// waitsFor is what a cluster that should run, and does not do its work yet, is waiting for.
//
//	JobManager          job                    waits for
//	something is wrong  -                      that
//	MISSING             -                      somebody who scales its Deployment up again
//	DEPLOYED_NOT_READY  -                      an answer
//	DEPLOYING           -                      its pod
//	READY               CREATED                its tasks
//	READY               may have lost progress what it was restored from
//	READY               ran, and is not listed its submission; for so long, see Vanished
//	READY               otherwise              a job that is RUNNING
func waitsFor(v *world.Look, podFailure *plan.Cause) plan.Cause {
	jm, state := v.Want.JobManagerDeploymentStatus, v.Want.JobStatus.State
	switch {
	case podFailure != nil:
		return *podFailure
	case jm == v1beta1.JobManagerMissing:
		return plan.Cause{Reason: plan.ReasonScaledToZero,
			Message: "the JobManager's Deployment was scaled to no replicas: kubectl scale deployment " +
				"--replicas=1 starts it again"}
	case jm == v1beta1.JobManagerDeployedNotReady:
		return plan.Cause{
			Reason:  plan.ReasonDeployedNotReady,
			Message: "the JobManager runs but Flink does not respond yet: " + v.Seen.Flink.Jobs.Why(),
		}
	case jm != v1beta1.JobManagerReady:
		return facts.JobManagerStarting
	case v.Job != nil && state == v1beta1.FlinkJobCreated:
		return status.TasksNotRunning
	case v.Job != nil && facts.Suspected(v.Want.LostProgress):
		return restoreNotShown
	case v.Job == nil && v.Want.JobStatus.StartTime != "":
		until := v.EndedAt().Add(v.CheckpointTimeout())
		return plan.Cause{Reason: plan.ReasonJobNotListed, Until: until, Then: "the job counts as ended",
			Message: fmt.Sprintf("Flink responds and does not list the job; if it does not by %s, the job "+
				"counts as ended", until.UTC().Format(time.RFC3339))}
	}
	return plan.Cause{Reason: plan.ReasonJobNotRunning, Message: "the job is " + string(state)}
}

// restoreNotShown is the wait for what a job that began again was restored from.
var restoreNotShown = plan.Cause{Reason: plan.ReasonRestoreNotShown,
	Message: "the JobManager was replaced, and Flink has not said yet from which checkpoint the job went on"}
