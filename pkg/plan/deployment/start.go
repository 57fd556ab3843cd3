package deployment

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/ask"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// beginStart stores the intent of a start and prepares it. from is the state that the job starts from.
func (v *view) beginStart(
	purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, from v1beta1.StartPoint,
) result {
	if o, occupied := v.occupied(); occupied {
		return o
	}
	if o, runs := v.jobGraphMayRun(&target); runs {
		return o
	}
	r := v.Seen.Resource
	intent := v.newIntent(purpose, v1beta1.StepStarting, target)
	intent.Generation = v.GenerationOf(intent)
	from.Taken = v.Taken(from)
	intent.From = &from
	intent.Restore = job.RestoredMode(&from)
	if target.Job != nil {
		intent.JobID = plan.DeriveID(r.UID, v.over(), plan.PurposeJob)
	}
	if from.Kind == v1beta1.StartLastState {
		intent.JobID = v.Want.JobStatus.JobID
	}
	earlier, some := v.forgetEarlierJobs(intent, target)
	if some && len(earlier.actions) == 0 {
		return earlier
	}
	// the next round prepares, and looks for what an earlier life left there
	moves := target.Job != nil && v.HAMoves(&target)
	open := v.Want.Intent
	v.Want.Intent = intent
	cluster, jobID, err := v.RenderStart(intent)
	if err != nil {
		v.Want.Intent = open
		return v.cannotRender(err)
	}
	if jobID != "" {
		intent.JobID = jobID // the one that the user fixed in the configuration
	}
	v.RecordStarting(intent, target)
	told := status.Starting(from, target.Job != nil)
	v.Tell(plan.Event{Reason: plan.ReasonSubmit, Component: plan.ComponentJobManager, Message: told})
	v.tellDroppedState(&target, from)
	v.Note(fmt.Sprintf("start from %s state (%s)", from.Kind, from.Reason))
	o := result{situation: plan.Starting, record: "intent", again: true, actions: earlier.actions}
	if !moves {
		o.actions = append(o.actions, plan.PrepareStart{Operation: intent.OperationID, Cluster: cluster})
	}
	return o
}

// tellDroppedState warns of a start that may lose state: a job that is meant to go on from its last state, from a
// path, with allowNonRestoredState.
func (v *view) tellDroppedState(target *v1beta1.FlinkDeploymentSpec, from v1beta1.StartPoint) {
	lastState := target.Job != nil && target.Job.DesiredUpgradeMode() == v1beta1.UpgradeModeLastState
	if !lastState || from.Kind != v1beta1.StartSavepoint || !v.DropsUnclaimed(target) {
		return
	}
	v.Tell(plan.Event{Warning: true, Reason: plan.ReasonStateMayBeDropped, Component: plan.ComponentJob,
		Message: fmt.Sprintf(
			"The job starts from %s with allowNonRestoredState: state that none of its operators claims is left out,"+
				" and Flink does not report it", from.Path)})
}

// startFrom starts from the state that package restore chooses for how the job was stopped.
func (v *view) startFrom(
	purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, mode v1beta1.UpgradeMode,
) result {
	choice := restore.Choose(v.RestoreFacts(purpose, target, mode))
	if choice.Verdict != plan.Go {
		return v.cannotStart(choice)
	}
	return v.beginStart(purpose, target, choice.From)
}

// cannotStart reports why a job may not start. Nothing is deleted.
func (v *view) cannotStart(c restore.Choice) result {
	if c.Verdict == plan.Wait {
		return result{situation: plan.Unobservable, wait: plan.Cause{Reason: c.Reason, Message: c.Message}}
	}
	message := strings.TrimSpace(v.HA().Store.Problem + " " + c.Message)
	if c.Reason == plan.ReasonRestoreFailed && v.HADataElsewhere() {
		message = "The high-availability options of the spec are not those that the job ran with; set them back to start " +
			"from the data that it left. " + message
	}
	if !v.shows() {
		v.fail(c.Reason, message)
	}
	return result{situation: plan.StateLost, stall: &plan.Cause{Reason: c.Reason, Message: message}}
}

// occupied waits while pods of a cluster that ran before are there without their Deployment: two JobManagers of one
// resource never run at the same time.
func (v *view) occupied() (result, bool) {
	if !v.Seen.JobManager.IsAbsent() || v.Last == nil {
		return result{}, false
	}
	o, runs := v.mayRun()
	if runs && o.situation == plan.Stopping {
		o.situation = plan.Lost
	}
	return o, runs
}

// cannotRender reports a spec that validates but cannot be turned into objects. What runs, if anything, is left alone.
func (v *view) cannotRender(err error) result {
	v.Want.Error = v.ErrorText(status.TypeReconciliation, err.Error(), "")
	return result{
		situation: plan.Refused,
		stall: &plan.Cause{
			Reason: plan.ReasonCannotRender, Message: "the cluster's objects cannot be made from the spec: " + err.Error(),
		},
	}
}

// carryStart goes on with a start that is prepared.
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
func (v *view) carryStart() result {
	intent := v.Intent()
	jm, present := v.Seen.JobManager.Get()
	target := v.StartTarget()
	if present && jm.DeletionTimestamp != nil {
		wait := plan.Cause{
			Reason: plan.ReasonClusterTerminating, Message: "the Deployment of an earlier start is being deleted",
		}
		return result{situation: plan.Starting, wait: wait}
	}
	if present && cluster.OwnOperation(jm) != intent.OperationID {
		return v.replacePrepared(jm)
	}
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		if present {
			return v.removePrepared(jm)
		}
		if intent.Purpose == v1beta1.PurposeDeploy {
			v.RecordNeverDeployed()
			return result{situation: plan.NeverStarted}
		}
		v.RecordSuspended(target, intent.Restore)
		return result{situation: plan.Suspended}
	}
	switch first := intent.Purpose == v1beta1.PurposeDeploy; {
	case intent.Generation == v.Generation:
	case v.AsksRedeploy() && !first:
		return v.startFrom(v1beta1.PurposeRedeploy, v.Spec, "")
	case v.Redirects(target) && first:
		return v.startFrom(intent.Purpose, target, "")
	case v.Redirects(target):
		return v.beginStart(v.Redirected(target), target, *intent.From)
	}
	if o, gone := v.lastStateGone(); gone {
		return o
	}
	cluster, _, err := v.RenderStart(intent)
	if err != nil {
		return v.cannotRender(err)
	}
	if !present || !v.AllPrepared(ask.Companions(cluster)) {
		earlier, some := v.forgetEarlierJobs(intent, target) // the pass that stored the intent may have ended before it did
		if some && len(earlier.actions) == 0 {
			return earlier
		}
		return result{
			situation: plan.Starting, again: true,
			actions: append(earlier.actions, plan.PrepareStart{Operation: intent.OperationID, Cluster: cluster}),
		}
	}
	return v.release(jm, cluster.JobManager, target)
}

// lastStateGone stops a start from high-availability data that is no longer there: the job would start empty.
func (v *view) lastStateGone() (result, bool) {
	intent := v.Intent()
	if intent.From == nil || intent.From.Kind != v1beta1.StartLastState {
		return result{}, false
	}
	choice := restore.Choose(v.RestoreFacts(intent.Purpose, v.Target(), v1beta1.UpgradeModeLastState))
	if choice.Verdict == plan.Go {
		return result{}, false
	}
	return v.cannotStart(choice), true
}

// replacePrepared removes a Deployment that another operation prepared. Only one that never ran may go: no pods were
// asked for and it carries an operation of ours.
func (v *view) replacePrepared(jm *appsv1.Deployment) result {
	if !v.PreparedOnly(jm) {
		return v.stands("a Deployment that the open start does not account for")
	}
	return v.removePrepared(jm)
}

// removePrepared deletes what was prepared and never ran, in the version that was seen: a release makes it another one.
func (v *view) removePrepared(jm *appsv1.Deployment) result {
	remove := v.deleteCluster(jm)
	remove.ResourceVersion = jm.ResourceVersion
	if v.Intent() != nil {
		remove.WhileOpen = v.Intent().OperationID
	}
	return result{situation: plan.Starting, again: true, actions: []plan.Action{remove}}
}

// release records that the prepared start may run; only then does it get its replicas.
func (v *view) release(jm, wanted *appsv1.Deployment, target v1beta1.FlinkDeploymentSpec) result {
	intent := v.Intent()
	replicas := int32(1)
	if wanted.Spec.Replicas != nil {
		replicas = *wanted.Spec.Replicas
	}
	intent.Step = v1beta1.StepReleased
	intent.Release = &v1beta1.Release{DeploymentUID: jm.UID, Replicas: replicas}
	v.RecordDeployed(target)
	v.tellUnmanagedIngress(target)
	return result{situation: plan.Waiting, wait: jobManagerStarting, finish: []plan.Action{v.releaseAction()}}
}

func (v *view) releaseAction() plan.Action {
	r, release := v.Seen.Resource, v.Intent().Release
	return plan.Release{
		Namespace: r.Namespace, Name: r.Name, UID: release.DeploymentUID, Operation: v.Intent().OperationID,
		Replicas: release.Replicas, At: v.Seen.Now,
	}
}

// carryRelease sets the replicas of a released start, as often as it takes, then closes the intent. Closing it is worth
// no write of its own.
func (v *view) carryRelease() (result, bool) {
	release := v.Intent().Release
	jm, present := v.Seen.JobManager.Get()
	if release != nil && present && jm.UID == release.DeploymentUID && jm.DeletionTimestamp == nil &&
		jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0 {
		return result{situation: plan.Waiting, wait: jobManagerStarting, finish: []plan.Action{v.releaseAction()}}, true
	}
	v.Want.Intent = nil
	return result{}, false
}
