package deployment

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
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
func deleting(v *view) (job.Result, bool) {
	if v.Seen.Resource.DeletionTimestamp == nil {
		return job.Result{}, false
	}
	if _, missing := job.MissingFinalizer(v.Life); missing {
		return job.Result{Situation: plan.Deleting}, true
	}
	v.Want.LifecycleState = v1beta1.LifecycleDeleting
	jm, present := v.Seen.JobManager.Get()
	if v.Seen.JobManager.IsUnknown() {
		return job.Unobservable("the JobManager Deployment", v.Seen.JobManager.Why()), true
	}
	if !job.Deletion(v.Life).Open() {
		if r, blocked := v.deletionBlocked(); blocked {
			return r, true
		}
		if v.Seen.Resource.Status.LifecycleState != v1beta1.LifecycleDeleting {
			v.Tell(plan.Event{
				Reason: plan.ReasonCleanup, Component: plan.ComponentOperator, Message: "Cleaning up FlinkDeployment",
			})
		}
	}
	job.Deletion(v.Life).Forestalled()
	if present && v.Owned(jm) {
		if r, saving := job.Deletion(v.Life).SaveFirst(); saving {
			r.Situation = plan.Deleting
			return r, true
		}
		if jm.DeletionTimestamp != nil && job.Deletion(v.Life).Open() {
			r := v.Stopper.WaitForEnd()
			r.Situation = plan.Deleting
			return r, true
		}
		return v.beginDeletion(), true
	}
	return v.finalize(), true
}

func (v *view) beginDeletion() job.Result {
	jm, _ := v.Seen.JobManager.Get()
	if job.Deletion(v.Life).Open() && v.Intent().Stops != nil && v.Intent().Stops.DeploymentUID == jm.UID {
		r := v.Stopper.TakeApart()
		r.Situation = plan.Deleting
		return r
	}
	events := v.Events
	r := job.Stopping(v.Life).Begin(job.Stop{
		Purpose: v1beta1.PurposeDelete, Target: v.Spec, How: v1beta1.StopStateless, Restore: v1beta1.UpgradeModeStateless,
	})
	v.Events = events // a deletion is told as Cleanup
	return r
}

// finalize removes what no owner reference removes, then lets the resource go.
func (v *view) finalize() job.Result {
	ha, remains := job.HAData(v.Life), cluster.Remains(v.Cluster)
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if v.Seen.JobManager.IsAbsent() && !v.Orphans() {
		if r, runs := remains.MayRun(); runs {
			if r.Situation == plan.Stopping {
				r.Situation = plan.Deleting
			}
			return r
		}
	}
	started := v.Last != nil && v.Seen.JobManager.IsAbsent()
	if r, first := remains.RemoveHAData(plan.Deleting); first && started && (len(r.Actions) > 0 || !ha.MayStay()) {
		return r
	}
	v.Want.LifecycleState = v1beta1.LifecycleDeleted
	if started {
		ha.TellUnreadable()
	}
	return job.Result{
		Situation: plan.Deleting, Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}},
	}
}

// deletionBlocked says what must go first, or be done first.
func (v *view) deletionBlocked() (job.Result, bool) {
	var reasons []string
	if v.IsSession() {
		reasons = cluster.SessionBlockers(v.Cluster)
	}
	if len(reasons) == 0 {
		return job.Result{}, false
	}
	message := "The session cluster is not deleted while " + strings.Join(reasons, " and ")
	if !job.Report(v.Life).StalledAlready(message) {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonCleanupFailed, Component: plan.ComponentOperator, Message: message,
		})
	}
	return job.Result{
		Situation: plan.Deleting, Stall: &plan.Cause{Reason: plan.ReasonCleanupBlocked, Message: message},
	}, true
}
