package cluster

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// starter starts the cluster, as job.Starter asks: prepared first, without replicas, then released.
type starter Cluster

// Startable reports why the spec that a stop leads to cannot be started. A job is not stopped for one that cannot.
func (v starter) Startable(intent *v1beta1.Intent) error {
	if intent.Purpose == v1beta1.PurposeDelete || intent.Purpose == v1beta1.PurposeSuspend {
		return nil
	}
	trial := intent.DeepCopy()
	trial.JobID = intent.OperationID // any will do
	_, _, err := RenderStart(Cluster(v), trial)
	return err
}

// Occupied waits while pods of a cluster that ran before are there without their Deployment: two JobManagers of one
// name never run at the same time. Before a first start they are of an earlier resource, whose finalizer somebody took
// away, or were made late.
func (v starter) Occupied() (job.Result, bool) {
	if !v.Seen.JobManager.IsAbsent() {
		return job.Result{}, false
	}
	r, runs := Remains(v).MayRun()
	if runs && r.Situation == plan.Stopping {
		if r.Situation = plan.Lost; v.Last == nil {
			r.Situation, r.Soon = plan.Starting, true
		}
	}
	return r, runs
}

// ForgetEarlier removes, before a cluster is prepared, what Flink would run by itself: for a start from that data the
// job graphs, else all of it. It waits without actions, also while the data is unknown: a graph that is left would be
// run. A session cluster brings its jobs back, see forgetJobs.
func (v starter) ForgetEarlier(intent *v1beta1.Intent, target v1beta1.FlinkDeploymentSpec) (job.Result, bool) {
	if target.Job == nil {
		return v.forgetJobs(intent)
	}
	if intent.From != nil && intent.From.Kind == v1beta1.StartLastState {
		data := v.HA()
		if what, why, unknown := data.Unknown(); unknown && data.Store.Readable() {
			return job.Unobservable(what, why), true
		}
		return job.Result{Actions: []plan.Action{data.DropJobGraphs()}}, true
	}
	return Remains(v).RemoveHAData(plan.Starting)
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
//	ours                 the same           release once all objects carry the operation, else prepare again; with a
//	                                        predecessor see awaitLeftovers, first of all, and awaitControllers
//	prepared by another  -                  delete it by UID: it was never released, for our intent is open
//	anything else        -                  Unaccounted
func (v starter) CarryStart() job.Result {
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
	if present {
		if r, late := v.awaitLeftovers(jm); late {
			return r
		}
	}
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		if present {
			return v.removePrepared(jm)
		}
		return job.Starting(v.Life).Suspend(target)
	}
	if r, redirected := job.Starting(v.Life).Redirect(target); redirected {
		return r
	}
	if r, gone := job.Starting(v.Life).LastStateGone(); gone {
		return r
	}
	made, _, err := RenderStart(Cluster(v), intent)
	if err != nil {
		return job.Starting(v.Life).CannotRender(err)
	}
	if !present {
		if r, runs := Remains(v).MayRun(); runs {
			r.Situation, r.Soon = plan.Starting, true
			return r
		}
	}
	if !present || !v.allPrepared(Companions(made)) {
		earlier, some := v.ForgetEarlier(intent, target) // the pass that stored the intent may have ended before it did
		if some && len(earlier.Actions) == 0 {
			return earlier
		}
		return job.Result{
			Situation: plan.Starting, Again: true, Tells: earlier.Tells,
			Actions: append(earlier.Actions, plan.PrepareStart{Operation: intent.OperationID, Cluster: made}),
		}
	}
	if r, waits := v.awaitControllers(jm); waits {
		return r
	}
	return v.release(jm, made, target)
}

// allPrepared reports whether every wanted companion was seen with the operation of the open intent.
func (v starter) allPrepared(wanted []Companion) bool {
	seen, ok := v.Seen.Companions.Get()
	if !ok {
		return false
	}
	have := map[Companion]bool{}
	for _, c := range seen {
		have[c] = true
	}
	for _, c := range wanted {
		if !have[c] {
			return false
		}
	}
	return true
}

// replacePrepared removes a Deployment that another operation prepared. Only one that never ran may go: no pods were
// asked for and it carries an operation of ours.
func (v starter) replacePrepared(jm *appsv1.Deployment) job.Result {
	if !v.PreparedOnly(jm) {
		return stands(Cluster(v), "a Deployment that the open start does not account for")
	}
	return v.removePrepared(jm)
}

// removePrepared deletes what was prepared and never ran, in the version that was seen: a release makes it another one.
func (v starter) removePrepared(jm *appsv1.Deployment) job.Result {
	remove := stopper(v).deleteCluster(jm)
	remove.ResourceVersion = jm.ResourceVersion
	if v.Intent() != nil {
		remove.WhileOpen = v.Intent().OperationID
	}
	return job.Result{Situation: plan.Starting, Again: true, Actions: []plan.Action{remove}}
}

// release records that the prepared start may run; only then does it get its replicas.
func (v starter) release(jm *appsv1.Deployment, made render.Cluster, target v1beta1.FlinkDeploymentSpec) job.Result {
	intent := v.Intent()
	replicas := evidence.Replicas(made.JobManager)
	intent.Step = v1beta1.StepReleased
	intent.Release = &v1beta1.Release{DeploymentUID: jm.UID, Replicas: replicas}
	job.Record(v.Life).Released(target)
	Ingress(v).tellUnmanaged(target)
	r := job.Result{Situation: plan.Waiting, Wait: job.JobManagerStarting, Finish: []plan.Action{v.releaseAction()}}
	if tm, there := v.Seen.TaskManagerDeployment.Get(); there && made.TaskManager != nil {
		r.Finish = append(r.Finish, scale(Cluster(v), tm, evidence.Replicas(made.TaskManager)))
	}
	return r
}

func (v starter) releaseAction() plan.Action {
	r, release := v.Seen.Resource, v.Intent().Release
	return plan.Release{
		Namespace: r.Namespace, Name: r.Name, UID: release.DeploymentUID, Operation: v.Intent().OperationID,
		Replicas: release.Replicas, At: v.Seen.Now,
	}
}

// CarryRelease sets the replicas of a released start, as often as it takes, then closes the intent. Closing it is worth
// no write of its own.
func (v starter) CarryRelease() (job.Result, bool) {
	release := v.Intent().Release
	jm, present := v.Seen.JobManager.Get()
	if release != nil && present && jm.UID == release.DeploymentUID && jm.DeletionTimestamp == nil &&
		evidence.Replicas(jm) == 0 {
		return job.Result{
			Situation: plan.Waiting, Wait: job.JobManagerStarting, Finish: []plan.Action{v.releaseAction()},
		}, true
	}
	v.Want.Intent = nil
	return job.Result{}, false
}

// Prepare makes the objects of the start of an intent.
func (v starter) Prepare(intent *v1beta1.Intent) (action plan.Action, jobID string, err error) {
	made, jobID, err := RenderStart(Cluster(v), intent)
	return plan.PrepareStart{Operation: intent.OperationID, Cluster: made}, jobID, err
}
