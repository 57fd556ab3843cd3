package cluster

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Occupied waits while pods of a cluster that ran before are there without their Deployment: two JobManagers of one
// resource never run at the same time.
func (v *Cluster) Occupied() (job.Result, bool) {
	if !v.Seen.JobManager.IsAbsent() || v.Last == nil {
		return job.Result{}, false
	}
	o, runs := v.MayRun()
	if runs && o.Situation == plan.Stopping {
		o.Situation = plan.Lost
	}
	return o, runs
}

// CarryStart goes on with a start that is prepared.
//
//	Deployment           spec that counts   then
//	Absent               suspended          nothing was started: record the suspension
//	Absent               running            prepare (again)
//	ours, not released   suspended          delete it
//	any                  asks a redeploy    store a new intent over this one, from what it names; its preparation
//	                                        replaces the objects
//	any                  a newer one        the same, from the state of this one; a first start from what the newer one
//	                                        names
//	ours                 the same           release once all objects carry the operation, else prepare again
//	prepared by another  -                  delete it by UID: it was never released, for our intent is open
//	anything else        -                  Unaccounted
func (v *Cluster) CarryStart() job.Result {
	intent := v.Intent()
	jm, present := v.Seen.JobManager.Get()
	target := job.Goal(v.Life).StartTarget()
	if present && jm.DeletionTimestamp != nil {
		wait := plan.Cause{
			Reason: plan.ReasonClusterTerminating, Message: "the Deployment of an earlier start is being deleted",
		}
		return job.Result{Situation: plan.Starting, Wait: wait}
	}
	if present && OwnOperation(jm) != intent.OperationID {
		return v.replacePrepared(jm)
	}
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		if present {
			return v.removePrepared(jm)
		}
		return job.Starting(v.Life).Suspend(target)
	}
	if o, redirected := job.Starting(v.Life).Redirect(target); redirected {
		return o
	}
	if o, gone := job.Starting(v.Life).LastStateGone(); gone {
		return o
	}
	made, _, err := v.RenderStart(intent)
	if err != nil {
		return job.Starting(v.Life).CannotRender(err)
	}
	if !present || !v.AllPrepared(Companions(made)) {
		earlier, some := v.ForgetEarlier(intent, target) // the pass that stored the intent may have ended before it did
		if some && len(earlier.Actions) == 0 {
			return earlier
		}
		return job.Result{
			Situation: plan.Starting, Again: true,
			Actions: append(earlier.Actions, plan.PrepareStart{Operation: intent.OperationID, Cluster: made}),
		}
	}
	return v.release(jm, made.JobManager, target)
}

// replacePrepared removes a Deployment that another operation prepared. Only one that never ran may go: no pods were
// asked for and it carries an operation of ours.
func (v *Cluster) replacePrepared(jm *appsv1.Deployment) job.Result {
	if !v.PreparedOnly(jm) {
		return v.stands("a Deployment that the open start does not account for")
	}
	return v.removePrepared(jm)
}

// removePrepared deletes what was prepared and never ran, in the version that was seen: a release makes it another one.
func (v *Cluster) removePrepared(jm *appsv1.Deployment) job.Result {
	remove := v.deleteCluster(jm)
	remove.ResourceVersion = jm.ResourceVersion
	if v.Intent() != nil {
		remove.WhileOpen = v.Intent().OperationID
	}
	return job.Result{Situation: plan.Starting, Again: true, Actions: []plan.Action{remove}}
}

// release records that the prepared start may run; only then does it get its replicas.
func (v *Cluster) release(jm, wanted *appsv1.Deployment, target v1beta1.FlinkDeploymentSpec) job.Result {
	intent := v.Intent()
	replicas := int32(1)
	if wanted.Spec.Replicas != nil {
		replicas = *wanted.Spec.Replicas
	}
	intent.Step = v1beta1.StepReleased
	intent.Release = &v1beta1.Release{DeploymentUID: jm.UID, Replicas: replicas}
	job.Record(v.Life).Released(target)
	v.tellUnmanagedIngress(target)
	return job.Result{Situation: plan.Waiting, Wait: job.JobManagerStarting, Finish: []plan.Action{v.releaseAction()}}
}

func (v *Cluster) releaseAction() plan.Action {
	r, release := v.Seen.Resource, v.Intent().Release
	return plan.Release{
		Namespace: r.Namespace, Name: r.Name, UID: release.DeploymentUID, Operation: v.Intent().OperationID,
		Replicas: release.Replicas, At: v.Seen.Now,
	}
}

// CarryRelease sets the replicas of a released start, as often as it takes, then closes the intent. Closing it is worth
// no write of its own.
func (v *Cluster) CarryRelease() (job.Result, bool) {
	release := v.Intent().Release
	jm, present := v.Seen.JobManager.Get()
	if release != nil && present && jm.UID == release.DeploymentUID && jm.DeletionTimestamp == nil &&
		jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0 {
		return job.Result{
			Situation: plan.Waiting, Wait: job.JobManagerStarting, Finish: []plan.Action{v.releaseAction()},
		}, true
	}
	v.Want.Intent = nil
	return job.Result{}, false
}
