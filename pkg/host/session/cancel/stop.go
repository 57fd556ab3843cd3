package cancel

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// CarryStop goes on with an open stop. Nothing is taken down but the job. First match wins:
//
//	the job is                                       then
//	gone, and what it ended with had to be recorded  its state is lost: a person decides
//	gone                                             end the stop
//	there, has ended, and that is recorded, or need  end the stop
//	not be
//	there                                            the next step of the stop
func CarryStop(v *session.Job) decision.Result {
	intent := v.Look.Intent()
	if standing, _ := v.Standing(); standing == world.Gone {
		if r, lost := operation.LostWithJobManager(v.Look); lost {
			return r
		}
		return operation.EndStop(v.Look)
	}
	keeps := intent.Stop == v1beta1.StopSavepoint || intent.Stop == v1beta1.StopCancel
	if j, listed := v.Listed(); listed && j.State.IsTerminal() && (intent.Ended || !keeps) {
		v.Look.SetJobState(j.State)
		return operation.EndStop(v.Look)
	}
	return operation.StopStep(v.Look)
}

// TakeApart cancels the job, until it has ended.
//
//	Flink        then
//	CANCELLING   wait; stalled after the clean-up timeout
//	lists it     cancel it
//	has ended    go on
//	otherwise    wait: it may be brought back
func TakeApart(v *session.Job) decision.Result {
	j, listed := v.Listed()
	wait := decision.Result{Situation: plan.Stopping, Wait: plan.Cause{
		Reason: plan.ReasonJobCancelling, Message: "the job is being cancelled",
	}}
	switch {
	case !listed:
		wait.Wait = plan.Cause{
			Reason: plan.ReasonJobNotListed, Message: "Flink does not list the job that is being stopped",
		}
	case j.State.IsTerminal():
		return decision.Result{Situation: plan.Stopping, Again: true}
	case j.State == v1beta1.FlinkJobCancelling:
		if since := v.Look.EndedAt(); v.Look.Since(since) > v.Look.Options.CleanupTimeout() {
			wait.Stall = &plan.Cause{Reason: plan.ReasonCancelOverdue, Message: fmt.Sprintf(
				"the job is being cancelled since %s and does not end; see the TaskManagers' logs, and delete the pod of "+
					"one whose tasks do not end",
				since.UTC().Format(time.RFC3339),
			)}
		}
	default:
		wait.Actions = []plan.Action{plan.CancelJob{JobID: j.ID, Endpoint: v.Endpoint(), Counts: true}}
	}
	return wait
}

// NotNow holds the requests of a stop back that may still be taken back. The intent of the stop is stored first, then
// the session cluster is looked at: one that stores its own after that sees the job's, and waits for the end of the
// stop, so one that was not begun is taken back. First match wins:
//
//	 #  the stop         the session cluster             then
//	N1  is a deletion's  -                               ask Flink
//	N2  is not stored    -                               store it, then look again
//	N3  is stored        is being changed, or goes away  take it back
//	N4  is stored        cannot be read                  wait
//	N5  is stored        -                               ask Flink
//
// The job of a deletion goes in any case.
func NotNow(v *session.Job) (decision.Result, bool) {
	if v.Look.Intent().Purpose == v1beta1.PurposeDelete {
		return decision.Result{}, false
	}
	if v.Look.StoresIntent() {
		return decision.Result{Situation: plan.Stopping, Again: true}, true
	}
	why, ready := v.ClusterReady()
	switch {
	case v.Seen.Cluster.IsUnknown():
		return decision.Result{Situation: plan.Stopping, Wait: why}, true
	case ready || why.Reason != plan.ReasonSessionClusterChanging:
		return decision.Result{}, false
	}
	if j, listed := v.Listed(); listed {
		v.Look.SetJobState(j.State)
	}
	return operation.WithdrawStop(v.Look, why), true
}
