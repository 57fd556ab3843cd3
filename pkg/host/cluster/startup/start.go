package startup

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/claim"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/takedown"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// startable reports why the spec that a stop leads to cannot be started. A job is not stopped for one that cannot.
func startable(v *cluster.Cluster, intent *v1beta1.Intent) (plan.Action, error) {
	if intent.Purpose == v1beta1.PurposeDelete || intent.Purpose == v1beta1.PurposeSuspend {
		return nil, nil
	}
	trial := intent.DeepCopy()
	trial.JobID = intent.OperationID // any will do
	return rehearse(v, trial)
}

// occupied waits while pods of a cluster that ran before are there without their Deployment: two JobManagers of one
// name never run at the same time. Before a first start they are of an earlier resource, whose finalizer somebody took
// away, or were made late.
func occupied(v *cluster.Cluster) (decision.Result, bool) {
	if !v.Seen.JobManager.IsAbsent() {
		return decision.Result{}, false
	}
	r, runs := takedown.Occupy(v)
	if runs && r.Situation == plan.Stopping {
		if r.Situation = plan.Lost; v.Look.Last == nil {
			r.Situation, r.Soon = plan.Starting, true
		}
	}
	return r, runs
}

// forgetEarlier removes, before a cluster is prepared, what Flink would run by itself: for a start from that data the
// job graphs, else all of it. It waits without actions, also while the data is unknown: a graph that is left would be
// run. A session cluster brings its jobs back, see forgetJobs.
func forgetEarlier(
	v *cluster.Cluster,
	intent *v1beta1.Intent,
	target v1beta1.FlinkDeploymentSpec,
) (decision.Result, bool) {
	if target.Job == nil {
		return forgetJobs(v, intent)
	}
	if intent.From != nil && intent.From.Kind == v1beta1.StartLastState {
		data := v.HA()
		if what, why, unknown := data.Unknown(); unknown && data.Store.Readable() {
			return decision.Unobservable(what, why), true
		}
		return forgetOthers(data), true
	}
	if startsUnseen(v, intent) {
		return decision.Result{}, false
	}
	return takedown.RemoveHAData(v, plan.Starting)
}

// startsUnseen reports whether a first start goes on although its high-availability data cannot be looked at: it has no
// state to lose, or a person gave that up. Without it the JobManager's own log tells what is wrong with the servers.
func startsUnseen(v *cluster.Cluster, intent *v1beta1.Intent) bool {
	data := v.HA()
	_, _, unknown := data.Unknown()
	return unknown && data.Store.InZooKeeper() && intent.Purpose == v1beta1.PurposeDeploy
}

// forgetOthers drops the job graphs before a start from high-availability data. What that has of other jobs, an earlier
// life of the cluster has left: it goes as well, and that is told.
func forgetOthers(data hadata.Data) decision.Result {
	r := decision.Result{Actions: []plan.Action{data.DropJobGraphs()}}
	if left := data.LeftOver(); len(left) > 0 {
		r.Actions = []plan.Action{data.ForgetOthers(left)}
		r.Tells = []plan.Event{{
			Reason: plan.ReasonJobsForgotten, Component: plan.ComponentJobManager,
			Message: "High-availability data of earlier jobs is removed, which status does not speak of: " +
				strings.Join(left, ", "),
		}}
	}
	return r
}

// carryStart goes on with a start that is prepared.
//
//	Deployment           spec that counts   then
//	ours, asks for pods  -                  it was released, and status is an older one: record that
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
func carryStart(v *cluster.Cluster) decision.Result {
	intent := v.Look.Intent()
	jm, present := v.Seen.JobManager.Get()
	target := facts.StartTarget(v.Look)
	if present && jm.DeletionTimestamp != nil {
		wait := plan.Cause{
			Reason: plan.ReasonClusterTerminating, Message: "the Deployment of an earlier start is being deleted",
		}
		return decision.Result{Situation: plan.Starting, Wait: wait}
	}
	if present && cluster.OwnOperation(jm) != intent.OperationID {
		return replacePrepared(v, jm)
	}
	if present && evidence.Replicas(jm) > 0 {
		return releasedBefore(v, jm)
	}
	news, reopens := operation.NoteRun(v.Look, cluster.HasRun(v), cluster.SilentNode(v)), intent.Reopens
	r := carryPrepared(v, jm, target)
	if (news || reopens && !intent.Reopens) && r.Record == "" { // before what was seen can go
		r.Record = "begin"
	}
	return r
}

// carryPrepared goes on with a start whose Deployment is not there, or is prepared.
func carryPrepared(v *cluster.Cluster, jm *appsv1.Deployment, target v1beta1.FlinkDeploymentSpec) decision.Result {
	intent, present := v.Look.Intent(), jm != nil
	if present {
		if r, late := awaitLeftovers(v, jm); late {
			return r
		}
	}
	if operation.Reopened(v.Look) {
		if r, reopened := reopen(v, jm, target); reopened {
			return r
		}
	}
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		if present {
			return takedown.RemovePrepared(v, jm)
		}
		return operation.SuspendStart(v.Look, target)
	}
	if r, redirected := operation.RedirectStart(v.Look, target); redirected {
		return r
	}
	if r, gone := operation.LastStateGone(v.Look); gone {
		return r
	}
	made, _, err := cluster.RenderStart(v, intent)
	if err != nil {
		return operation.CannotRender(v.Look, err)
	}
	if !present {
		if r, occupied := occupied(v); occupied {
			r.Situation, r.Soon = plan.Starting, true
			return r
		}
	}
	if !present || !allPrepared(v, cluster.Companions(made)) {
		earlier, some := forgetEarlier(
			v,
			intent,
			target,
		) // the pass that stored the intent may have ended before it did
		if some && len(earlier.Actions) == 0 {
			return earlier
		}
		return decision.Result{
			Situation: plan.Starting, Again: true, Tells: earlier.Tells,
			Actions: append(earlier.Actions, plan.PrepareStart{Operation: intent.OperationID, Cluster: made}),
		}
	}
	if r, waits := awaitControllers(v, jm); waits {
		return r
	}
	return release(v, jm, made, target)
}

// reopen decides anew what the start begins from, once nothing of the cluster before it runs, or will. What is prepared
// goes first.
func reopen(v *cluster.Cluster, jm *appsv1.Deployment, target v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	if jm != nil {
		return takedown.RemovePrepared(v, jm), true
	}
	if r, occupied := occupied(v); occupied {
		r.Situation, r.Soon = plan.Starting, true
		return r, true
	}
	return operation.Reopen(v.Look, target)
}

// allPrepared reports whether every wanted companion was seen with the operation of the open intent.
func allPrepared(v *cluster.Cluster, wanted []cluster.Companion) bool {
	seen, ok := v.Seen.Companions.Get()
	if !ok {
		return false
	}
	have := map[cluster.Companion]bool{}
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
func replacePrepared(v *cluster.Cluster, jm *appsv1.Deployment) decision.Result {
	if !v.PreparedOnly(jm) {
		return claim.NotOfIntent(v, jm, "a Deployment that the open start does not account for")
	}
	return takedown.RemovePrepared(v, jm)
}

// release records that the prepared start may run; only then does it get its replicas.
func release(v *cluster.Cluster,
	jm *appsv1.Deployment,
	made render.Cluster,
	target v1beta1.FlinkDeploymentSpec,
) decision.Result {
	intent := v.Look.Intent()
	replicas := evidence.Replicas(made.JobManager)
	intent.Step = v1beta1.StepReleased
	intent.Release = &v1beta1.Release{DeploymentUID: jm.UID, Replicas: replicas}
	record.Released(v.Look, target)
	tellUnmanagedIngress(v, target)
	r := decision.Result{
		Situation: plan.Waiting,
		Wait:      facts.JobManagerStarting,
		Finish:    []plan.Action{releaseAction(v)},
	}
	if tm, there := v.Seen.TaskManagerDeployment.Get(); there && made.TaskManager != nil {
		r.Finish = append(r.Finish, takedown.Scale(v, tm, evidence.Replicas(made.TaskManager)))
	}
	return r
}

// releasedBefore records a release that status does not know of: it was put back to what it was before.
func releasedBefore(v *cluster.Cluster, jm *appsv1.Deployment) decision.Result {
	v.Look.Intent().Step = v1beta1.StepReleased
	v.Look.Intent().Release = &v1beta1.Release{DeploymentUID: jm.UID, Replicas: evidence.Replicas(jm)}
	record.Released(v.Look, facts.StoredTarget(v.Look))
	return decision.Result{Situation: plan.Waiting, Wait: facts.JobManagerStarting}
}

func releaseAction(v *cluster.Cluster) plan.Action {
	r, release := v.Seen.Resource, v.Look.Intent().Release
	return plan.Release{
		Namespace: r.Namespace, Name: r.Name, UID: release.DeploymentUID, Operation: v.Look.Intent().OperationID,
		Replicas: release.Replicas, At: v.Seen.Now,
	}
}

// carryRelease sets the replicas of a released start, as often as it takes, then closes the intent. Closing it is worth
// no write of its own. A Deployment that was retired since is not released again: status is an older one that was put
// back, and what took the Deployment down is not known any more.
func carryRelease(v *cluster.Cluster) (decision.Result, bool) {
	release := v.Look.Intent().Release
	jm, present := v.Seen.JobManager.Get()
	if release != nil && present && jm.UID == release.DeploymentUID && jm.DeletionTimestamp == nil &&
		evidence.Replicas(jm) == 0 && !cluster.Retired(jm) {
		return decision.Result{
			Situation: plan.Waiting, Wait: facts.JobManagerStarting, Finish: []plan.Action{releaseAction(v)},
		}, true
	}
	v.Look.Want.Intent = nil
	return decision.Result{}, false
}

// prepare makes the objects of the start of an intent.
func prepare(v *cluster.Cluster, intent *v1beta1.Intent) (action plan.Action, jobID string, err error) {
	made, jobID, err := cluster.RenderStart(v, intent)
	return plan.PrepareStart{Operation: intent.OperationID, Cluster: made}, jobID, err
}

// tellUnmanagedIngress says at a start why there will be no Ingress.
func tellUnmanagedIngress(v *cluster.Cluster, target v1beta1.FlinkDeploymentSpec) {
	if _, managed, _ := cluster.RenderIngress(v, target); target.Ingress != nil && !managed {
		v.Look.Tell(plan.Event{Warning: true, Reason: plan.ReasonIngressManagement, Component: plan.ComponentOperator,
			Once:    true,
			Message: "spec.ingress is set, but kubernetes.operator.ingress.manage is false: no Ingress is made"})
	}
}
