package sessionjob

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// stopper takes nothing down but the job, as job.Stopper asks.
type stopper view

// Watch has nothing to note: Flink tells of the job.
func (v stopper) Watch() {}

// CarryStop goes on with an open stop. Nothing is taken down but the job. First match wins:
//
//	the job is                                       then
//	gone, and what it ended with had to be recorded  its state is lost: a person decides
//	gone                                             end the stop
//	there, has ended, and that is recorded, or need  end the stop
//	not be
//	there                                            the next step of the stop
func (v stopper) CarryStop() job.Result {
	intent := v.Intent()
	if standing, _ := v.Standing(); standing == job.Gone {
		if r, lost := job.Ending(v.Life).Lost(); lost {
			return r
		}
		return job.Stopping(v.Life).End()
	}
	keeps := intent.Stop == v1beta1.StopSavepoint || intent.Stop == v1beta1.StopCancel
	if j, listed := v.listed(); listed && j.State.IsTerminal() && (intent.Ended || !keeps) {
		v.SetJobState(j.State)
		return job.Stopping(v.Life).End()
	}
	return job.Stopping(v.Life).Step()
}

// TakeApart cancels the job, until it has ended.
//
//	Flink        then
//	CANCELLING   wait; stalled after the clean-up timeout
//	lists it     cancel it
//	has ended    go on
//	otherwise    wait: it may be brought back
func (v stopper) TakeApart() job.Result {
	j, listed := v.listed()
	wait := job.Result{Situation: plan.Stopping, Wait: plan.Cause{
		Reason: plan.ReasonJobCancelling, Message: "the job is being cancelled",
	}}
	switch {
	case !listed:
		wait.Wait = plan.Cause{
			Reason: plan.ReasonJobNotListed, Message: "Flink does not list the job that is being stopped",
		}
	case j.State.IsTerminal():
		return job.Result{Situation: plan.Stopping, Again: true}
	case j.State == v1beta1.FlinkJobCancelling:
		if since := v.EndedAt(); v.Since(since) > v.CleanupTimeout() {
			wait.Stall = &plan.Cause{Reason: plan.ReasonCancelOverdue, Message: fmt.Sprintf(
				"the job is being cancelled since %s and does not end; see the TaskManagers' logs, and delete the pod of "+
					"one whose tasks do not end", since.UTC().Format(time.RFC3339))}
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
func (v stopper) NotNow() (job.Result, bool) {
	if v.Intent().Purpose == v1beta1.PurposeDelete {
		return job.Result{}, false
	}
	if v.StoresIntent() {
		return job.Result{Situation: plan.Stopping, Again: true}, true
	}
	why, ready := v.clusterReady()
	switch {
	case v.seen.Cluster.IsUnknown():
		return job.Result{Situation: plan.Stopping, Wait: why}, true
	case ready || why.Reason != plan.ReasonSessionClusterChanging:
		return job.Result{}, false
	}
	if j, listed := v.listed(); listed {
		v.SetJobState(j.State)
	}
	return job.Stopping(v.Life).Withdraw(why), true
}

// AwaitJobGraph is false: the session cluster's own data stays.
func (v stopper) AwaitJobGraph() (job.Result, bool) { return job.Result{}, false }

// TakeDown is nothing: a job that has ended leaves nothing that runs.
func (v stopper) TakeDown() []plan.Action { return nil }

// Rest is nothing.
func (v stopper) Rest() ([]plan.Action, bool) { return nil, false }

// WaitForEnd is not asked for: a job does not go but by its end.
func (v stopper) WaitForEnd() job.Result { return job.Result{Situation: plan.Stopping} }
