package deployment

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// deleting ends a resource that is marked for deletion. It takes an open intent over; the finalizer goes when a fresh
// read finds nothing of ours left.
//
//	there is                              then
//	no finalizer of ours                  nothing
//	Deployment Unknown                    wait
//	session jobs, or running jobs, that   wait and say which
//	block the deletion
//	a savepoint was asked for             take it, for as long as a checkpoint may take; then go on without
//	our Deployment                        intent, take it down
//	our Deployment, being deleted         wait
//	nothing, or somebody else's           pods ended? HA data gone? then the finalizer
func deleting(v *view) (job.Result, bool) {
	if v.Seen.Resource.DeletionTimestamp == nil {
		return job.Result{}, false
	}
	if _, missing := v.MissingFinalizer(); missing {
		return job.Result{Situation: plan.Deleting}, true
	}
	v.Want.LifecycleState = v1beta1.LifecycleDeleting
	jm, present := v.Seen.JobManager.Get()
	if v.Seen.JobManager.IsUnknown() {
		return v.Unobservable("the JobManager Deployment", v.Seen.JobManager.Why()), true
	}
	if !v.deletionOpen() {
		if o, blocked := v.deletionBlocked(); blocked {
			return o, true
		}
		if v.Seen.Resource.Status.LifecycleState != v1beta1.LifecycleDeleting {
			v.Tell(plan.Event{
				Reason: plan.ReasonCleanup, Component: plan.ComponentOperator, Message: "Cleaning up FlinkDeployment",
			})
		}
	}
	v.forestalled(jm, present)
	if present && v.Owned(jm) {
		if o, saving := v.saveFirst(jm); saving {
			o.Situation = plan.Deleting
			return o, true
		}
		if jm.DeletionTimestamp != nil && v.deletionOpen() {
			o := v.WaitForEnd()
			o.Situation = plan.Deleting
			return o, true
		}
		return v.beginDeletion(), true
	}
	return v.finalize(), true
}

// deletionOpen reports whether the intent of the deletion is stored.
func (v *view) deletionOpen() bool {
	return v.Intent() != nil && v.Intent().Purpose == v1beta1.PurposeDelete && job.Whole(v.Intent())
}

func (v *view) beginDeletion() job.Result {
	jm, _ := v.Seen.JobManager.Get()
	if v.deletionOpen() && v.Intent().Stops != nil && v.Intent().Stops.DeploymentUID == jm.UID {
		return job.Result{Situation: plan.Deleting, Actions: v.TakeDown()}
	}
	events := v.Events
	o := v.BeginStop(job.Stop{
		Purpose: v1beta1.PurposeDelete, Target: v.Spec, How: v1beta1.StopStateless, Restore: v1beta1.UpgradeModeStateless,
	})
	v.Events = events // a deletion is told as Cleanup
	return o
}

// finalize removes what no owner reference removes, then lets the resource go.
func (v *view) finalize() job.Result {
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if v.Seen.JobManager.IsAbsent() && !v.Orphans() {
		if o, runs := v.mayRun(); runs {
			if o.Situation == plan.Stopping {
				o.Situation = plan.Deleting
			}
			return o
		}
	}
	started := v.Last != nil && v.Seen.JobManager.IsAbsent()
	if o, first := v.removeHAData(plan.Deleting); first && started && (len(o.Actions) > 0 || !v.LeavesHAData()) {
		return o
	}
	v.Want.LifecycleState = v1beta1.LifecycleDeleted
	if started {
		v.TellsUnreadableHAData()
	}
	return job.Result{
		Situation: plan.Deleting, Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}},
	}
}

// deletionBlocked says what must go first, or be done first.
func (v *view) deletionBlocked() (job.Result, bool) {
	var reasons []string
	if v.IsSession() {
		reasons = v.SessionBlockers()
	}
	if len(reasons) == 0 {
		return job.Result{}, false
	}
	message := "The session cluster is not deleted while " + strings.Join(reasons, " and ")
	if !v.StalledAlready(message) {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonCleanupFailed, Component: plan.ComponentOperator, Message: message,
		})
	}
	return job.Result{
		Situation: plan.Deleting, Stall: &plan.Cause{Reason: plan.ReasonCleanupBlocked, Message: message},
	}, true
}

// saveFirst stops the job with a savepoint before a deletion that asks for one. The deadline is how long a checkpoint
// may take; each attempt has as long. Then the deletion goes on, and says that it was skipped.
//
//	attempt            deletion             job        then
//	open, in time      -                    -          wait for it
//	open, too long     -                    -          skip it
//	failed since then  late                 -          skip it
//	failed             -                    -          wait until the next is due
//	-                  late                 not RUNNING skip it
//	-                  -                    not RUNNING wait
//	-                  also a late look     RUNNING    begin one
func (v *view) saveFirst(jm *appsv1.Deployment) (job.Result, bool) {
	if !v.savesFirst() || jm.DeletionTimestamp != nil {
		return job.Result{}, false
	}
	open, retry, late := v.deletionOpen() && v.Intent().Stop == v1beta1.StopSavepoint, v.Want.Retry,
		v.DeletingFor() > v.CheckpointTimeout()
	failed := retry != nil && retry.Generation == v.Generation &&
		retry.After.After(v.Seen.Resource.DeletionTimestamp.Time)
	jobs, _ := v.Seen.Flink.Jobs.Get()
	j, found := job.FindJob(jobs, v.Want.JobStatus.JobID)
	runs := found && j.State == v1beta1.FlinkJobRunning
	switch {
	case open && v.Since(v.Intent().StoredAt) <= v.CheckpointTimeout():
		return v.AwaitSavepoint(), true
	case open, late && (failed || !runs):
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonSavepointSkipped, Component: plan.ComponentOperator, Once: true,
			Message: fmt.Sprintf(
				"No savepoint could be taken within %s: the job is deleted without one", v.CheckpointTimeout(),
			)})
		return job.Result{}, false
	case backoff.Waits(retry, v.Generation, v.Seen.Now):
		return job.Result{Wait: plan.Cause{Reason: plan.Reason(retry.Reason), Message: retry.Message}}, true
	case !runs:
		return job.Result{
			Wait: plan.Cause{
				Reason:  plan.ReasonSavepointPending,
				Message: "a savepoint is to be taken before the deletion, and the job does not run",
			},
		}, true
	}
	return v.BeginStop(job.Stop{
		Purpose: v1beta1.PurposeDelete, Target: v.Spec, How: v1beta1.StopSavepoint, Restore: v1beta1.UpgradeModeSavepoint,
	}), true
}

// savesFirst reports whether a savepoint is to be taken before the deletion, and has not been.
func (v *view) savesFirst() bool {
	saved := v.deletionOpen() && v.Intent().Ended
	return !v.IsSession() && v.SavepointOnDeletion() && v.Last != nil && v.LastRunning() && !saved &&
		!v.Want.JobStatus.State.IsTerminal()
}

// forestalled tells once that the JobManager goes away before a savepoint could be taken that was asked for. With
// foreground propagation the garbage collector deletes what the resource owns as soon as the resource is marked, before
// anybody can act.
//
//	Deployment           deletion         then
//	there                -                -
//	going away, or gone  savepoint open   tell, and go on without
//	going away, or gone  open             told already, or taken down by us
//	going away           -                tell: the intent that follows is the mark that it was told
//	gone                 first look       tell
//	gone since then      -                tell: MISSING is the mark
func (v *view) forestalled(jm *appsv1.Deployment, present bool) {
	if (present && jm.DeletionTimestamp == nil) || !v.savesFirst() {
		return
	}
	stored, saving := v.Seen.Resource.Status, false
	switch {
	case v.deletionOpen():
		if saving = v.Intent().Stop == v1beta1.StopSavepoint; !saving {
			return
		}
		v.Intent().Stop = v1beta1.StopStateless
	case !present && stored.LifecycleState == v1beta1.LifecycleDeleting &&
		stored.JobManagerDeploymentStatus == v1beta1.JobManagerMissing:
		return
	}
	what := "No savepoint was taken before the deletion"
	if saving {
		what = "The savepoint before the deletion is not known to be complete"
	}
	why := "the JobManager was deleted by somebody else"
	if slices.Contains(v.Seen.Resource.Finalizers, metav1.FinalizerDeleteDependents) {
		why = "the resource is deleted with foreground propagation, so Kubernetes deletes the JobManager first; delete " +
			"it with --cascade=background, or suspend the job first"
	}
	v.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonSavepointSkipped, Component: plan.ComponentOperator, Once: true,
		Message: what + ": " + why,
	})
}
