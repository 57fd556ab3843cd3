package deployment

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/takedown"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// deleting ends a resource that is marked for deletion. It takes an open intent over; the finalizer goes when a fresh
// read finds nothing of ours left.
//
//	 #  there is                              finalizer  stop       then
//	D1  no finalizer of ours                  -          -          nothing
//	D2  Deployment Unknown                    stays      -          wait
//	D3  session jobs, or running jobs, that   stays      -          wait and say which
//	    block the deletion
//	D4  a savepoint was asked for             stays      Savepoint  take it, for as long as a checkpoint may take; then
//	                                                                go on without
//	D5  our Deployment                        stays      Stateless  intent, take it down
//	D6  our Deployment, being deleted         stays      Stateless  wait
//	D7  nothing, or somebody else's           goes       -          pods ended? HA data gone? then the finalizer
func deleting(v *view) (decision.Result, bool) {
	if v.Seen.Resource.DeletionTimestamp == nil {
		return decision.Result{}, false
	}
	if _, missing := decide.MissingFinalizer(v.Look); missing {
		return decision.Result{Situation: plan.Deleting}, true
	}
	v.Look.Want.LifecycleState = v1beta1.LifecycleDeleting
	jm, present := v.Seen.JobManager.Get()
	if v.Seen.JobManager.IsUnknown() {
		return decision.Unobservable("the JobManager Deployment", v.Seen.JobManager.Why()), true
	}
	if !facts.DeletionOpen(v.Look) {
		if r, blocked := deletionBlocked(v); blocked {
			return r, true
		}
		if v.Seen.Resource.Status.LifecycleState != v1beta1.LifecycleDeleting {
			v.Look.Tell(plan.Event{
				Reason: plan.ReasonCleanup, Component: plan.ComponentOperator, Message: "Cleaning up FlinkDeployment",
			})
		}
	}
	operation.Forestalled(v.Look)
	if present && v.Owned(jm) {
		if r, saving := operation.SaveFirst(v.Look); saving {
			r.Situation = plan.Deleting
			return r, true
		}
		if jm.DeletionTimestamp != nil && facts.DeletionOpen(v.Look) {
			r := v.Look.Stopper.WaitForEnd()
			r.Situation = plan.Deleting
			return r, true
		}
		return beginDeletion(v), true
	}
	return finalize(v), true
}

func beginDeletion(v *view) decision.Result {
	jm, _ := v.Seen.JobManager.Get()
	if facts.DeletionOpen(v.Look) && v.Look.Intent().Stops != nil && v.Look.Intent().Stops.DeploymentUID == jm.UID {
		r := v.Look.Stopper.TakeApart()
		r.Situation = plan.Deleting
		return r
	}
	events := v.Look.Events
	r := operation.BeginStop(v.Look, decision.Stop{
		Purpose: v1beta1.PurposeDelete,
		Target:  v.Look.Spec,
		How:     v1beta1.StopStateless,
		Restore: v1beta1.UpgradeModeStateless,
	})
	v.Look.Events = events // a deletion is told as Cleanup
	return r
}

// finalize removes what no owner reference removes, then lets the resource go.
func finalize(v *view) decision.Result {
	ha, remains := v.Look, v.Cluster
	v.Look.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if v.Seen.JobManager.IsAbsent() && !v.Look.Options.Orphans() {
		if r, runs := takedown.MayRun(remains); runs {
			if r.Situation == plan.Stopping {
				r.Situation = plan.Deleting
			}
			return r
		}
	}
	started := v.Look.Last != nil && v.Seen.JobManager.IsAbsent()
	if r, first := takedown.RemoveHAData(remains,
		plan.Deleting,
	); first && started &&
		(len(r.Actions) > 0 || !operation.HAMayStay(ha)) {
		return r
	}
	v.Look.Want.LifecycleState = v1beta1.LifecycleDeleted
	if started {
		operation.TellUnreadableHA(ha)
	}
	return decision.Result{
		Situation: plan.Deleting, Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}},
	}
}

// deletionBlocked says what must go first, or be done first.
func deletionBlocked(v *view) (decision.Result, bool) {
	var reasons []string
	if v.Look.IsSession() {
		reasons = cluster.SessionBlockers(v.Cluster)
	}
	if len(reasons) == 0 {
		return decision.Result{}, false
	}
	message := "The session cluster is not deleted while " + strings.Join(reasons, " and ")
	if !report.StalledAlready(v.Look, message) {
		v.Look.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonCleanupFailed, Component: plan.ComponentOperator, Message: message,
		})
	}
	return decision.Result{
		Situation: plan.Deleting, Stall: &plan.Cause{Reason: plan.ReasonCleanupBlocked, Message: message},
	}, true
}
