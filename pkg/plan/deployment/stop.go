package deployment

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/nodes"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
)

// A stop, drawn for one pass and the next:
//
//	how         status              Flink                       Kubernetes
//	stateless   intent              PATCH cancel (not awaited   DELETE Deployment <uid>, pods; a redeploy
//	                                but for awaitJobGraph)      does not cancel
//	savepoint   intent              POST stop <trigger>
//	            ... looked at until it is completed ...
//	            end: path, FINISHED                             DELETE, or retire for a suspension
//	cancel      intent              PATCH cancel
//	            ... looked at until the job has ended ...
//	            end: path, CANCELED                             DELETE, or retire for a suspension
//	last-state  intent                                          no JobManager, see takeApart; then DELETE; the HA data
//	                                                            stays
//	none        intent                                          DELETE
//	            ... the pass stays, or the clock wakes one ...
//	                                                            no Deployment, no pod runs: delete HA data when it may go
//	            start, or suspended

// stop is how and for what a running cluster is taken down.
type stop struct {
	purpose v1beta1.IntentPurpose
	target  v1beta1.FlinkDeploymentSpec
	how     v1beta1.StopKind
	restore v1beta1.UpgradeMode
}

// beginStop stores the intent to take the running cluster down, and begins to. The Deployment must be present. Where
// the job's last state is known already, it is stored with the intent.
func (v *view) beginStop(s stop, jm *appsv1.Deployment) result {
	r := v.Seen.Resource
	intent := v.newIntent(s.purpose, v1beta1.StepStopping, s.target)
	intent.Stop, intent.Restore = s.how, s.restore
	intent.Stops = &v1beta1.Incarnation{
		DeploymentUID: jm.UID, JobID: v.Want.JobStatus.JobID, JobStartTime: v.Want.JobStatus.StartTime,
	}
	open := v.Want.Intent
	switch {
	case s.purpose == v1beta1.PurposeRedeploy, s.how == v1beta1.StopNone, s.how == v1beta1.StopStateless &&
		s.restore == v1beta1.UpgradeModeSavepoint:
		choice := restore.Choose(v.RestoreFacts(s.purpose, s.target, s.restore))
		if choice.Verdict != plan.Go {
			return v.cannotStart(choice)
		}
		intent.From = &choice.From
	case s.how == v1beta1.StopLastState:
		if choice := restore.Choose(v.RestoreFacts(s.purpose, s.target, s.restore)); choice.Verdict != plan.Go {
			return v.cannotStart(choice) // what runs is all that is left of the state
		}
	case s.how == v1beta1.StopStateless, s.how == "":
		intent.From = &v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Stateless"}
	case s.how == v1beta1.StopSavepoint:
		intent.TriggerID = plan.DeriveID(r.UID, v.over(), plan.PurposeTrigger)
	}
	v.Want.Intent = intent
	if err := v.startable(intent); err != nil {
		v.Want.Intent = open
		return v.cannotRender(err)
	}
	v.RecordStopping(s.purpose, s.how)
	v.Tell(plan.Event{
		Reason: plan.ReasonSuspended, Component: plan.ComponentJobManager, Message: "Suspending existing deployment.",
	})
	v.Note(fmt.Sprintf("stop: %s, restore: %s", s.how, s.restore))
	o := v.stopStep(jm)
	return result{situation: stopSituation(s.purpose), record: "intent", actions: o.actions, again: o.again}
}

// replace takes a cluster down for another, or starts that one where there is none.
func (v *view) replace(s stop, jm *appsv1.Deployment, present bool) result {
	if present {
		return v.beginStop(s, jm)
	}
	return v.startFrom(s.purpose, s.target, s.restore)
}

// startable reports why the spec that a stop leads to cannot be started. A job is not stopped for one that cannot.
func (v *view) startable(intent *v1beta1.Intent) error {
	if intent.Purpose == v1beta1.PurposeDelete || intent.Purpose == v1beta1.PurposeSuspend {
		return nil
	}
	trial := intent.DeepCopy()
	trial.JobID = intent.OperationID // any will do
	_, _, err := v.RenderStart(trial)
	return err
}

// stopStep is the next effect of an open stop on a cluster that is there.
func (v *view) stopStep(jm *appsv1.Deployment) result {
	intent := v.Intent()
	if !intent.Ended {
		switch intent.Stop {
		case v1beta1.StopSavepoint:
			return v.awaitSavepoint(jm)
		case v1beta1.StopCancel:
			return v.awaitCancel(jm)
		case v1beta1.StopStateless, "":
			if o, awaited := v.awaitJobGraph(jm); awaited {
				return o
			}
		case v1beta1.StopNone:
			if o, began := v.beganMeanwhile(jm); began {
				return o
			}
		}
	}
	if intent.Ended && intent.Purpose == v1beta1.PurposeSuspend {
		return v.suspendEnded(jm, intent.Restore)
	}
	return v.takeApart(jm)
}

// beganMeanwhile gives up a stop of a job that never began, once it may have: taking its cluster down was refused, or
// came late. What was to start instead, empty or from an older state, may be less than the job has by now.
//
//	the stop                                     the pods   a container   then
//	of a job that has ended, a resumption, ...   -          -             go on
//	of one that never began                      Unknown    -             wait
//	of one that never began                      known      never ran     go on
//	of one that never began                      known      may have run  give it up; the next attempt decides anew
func (v *view) beganMeanwhile(jm *appsv1.Deployment) (result, bool) {
	decided := []v1beta1.IntentPurpose{v1beta1.PurposeUpgrade, v1beta1.PurposeSuspend, v1beta1.PurposeRollback}
	switch {
	case !slices.Contains(decided, v.Intent().Purpose), v.Want.JobStatus.State.IsTerminal(), v.NeverRan():
		return result{}, false
	case v.Seen.Pods.IsUnknown():
		return v.unobservable("the pods of the cluster", v.Seen.Pods.Why()), true
	}
	return v.attemptFailed(plan.ReasonJobBegan, "the job began before its cluster could be taken down"), true
}

func stopSituation(purpose v1beta1.IntentPurpose) plan.Situation {
	switch purpose {
	case v1beta1.PurposeSuspend:
		return plan.Suspend
	case v1beta1.PurposeUpgrade:
		return plan.Upgrade
	case v1beta1.PurposeResume:
		return plan.Resume
	case v1beta1.PurposeDelete:
		return plan.Deleting
	default:
		return plan.Stopping
	}
}

// takeApart takes a cluster down in an order that leaves what its successor needs. A job that loses its TaskManagers
// fails. When it may not restart (restart-strategy.type: none, or its attempts are used up) it fails for good, and
// Flink removes its high-availability data. A JobManager that is told to end (SIGTERM) suspends its jobs and keeps
// that data, see ADR 29.
//
//	what the successor starts from  the Deployment                            then
//	nothing, or a recorded state    -                                         delete the cluster, all processes at once
//	the high-availability data      asks for JobManagers, or may be released  retire it: its TaskManagers stay
//	the high-availability data      is retired, a JobManager may run          wait for its end, see waitForPods
//	the high-availability data      is retired, none runs nor will            delete the cluster
func (v *view) takeApart(jm *appsv1.Deployment) result {
	if !v.NeedsHAData() {
		return result{situation: plan.Stopping, actions: v.takeDown(jm)}
	}
	pods, known := v.Seen.Pods.Get()
	switch {
	case !cluster.Retired(jm):
		retire := plan.Retire{Namespace: jm.Namespace, Name: jm.Name, UID: jm.UID}
		return result{situation: plan.Stopping, pods: true, actions: []plan.Action{retire}}
	case !known:
		return v.unobservable("the pods of the cluster", v.Seen.Pods.Why())
	case cluster.MayMakePods(jm) || slices.ContainsFunc(pods, func(p corev1.Pod) bool { return !evidence.Ended(p) }):
		return v.waitForPods()
	}
	return result{situation: plan.Stopping, actions: v.takeDown(jm)}
}

// takeDown deletes the cluster. A job whose state is given up is cancelled first, as far as someone answers. One that a
// person told to start from another state is not: that may be a checkpoint of its own, which Flink could delete with
// it.
func (v *view) takeDown(jm *appsv1.Deployment) []plan.Action {
	var actions []plan.Action
	gives := (v.Intent().Stop == v1beta1.StopStateless || v.Intent().Stop == "") &&
		v.Intent().Purpose != v1beta1.PurposeRedeploy
	if jobs, ok := v.Seen.Flink.Jobs.Get(); ok && gives {
		if j, found := job.FindJob(jobs, v.Want.JobStatus.JobID); found && cancellable(j.State) {
			actions = append(actions, plan.CancelJob{JobID: j.ID, Endpoint: v.Endpoint()})
		}
	}
	return append(actions, v.deleteCluster(jm))
}

func cancellable(state v1beta1.FlinkJobState) bool {
	return !state.IsTerminal() && state != v1beta1.FlinkJobCancelling && state != v1beta1.FlinkJobReconciling
}

func (v *view) deleteCluster(jm *appsv1.Deployment) plan.DeleteCluster {
	owned, _ := v.Seen.Owned.Get()
	return plan.DeleteCluster{Namespace: jm.Namespace, Name: jm.Name, UID: jm.UID, Orphan: v.Orphans(), Owned: owned}
}

// carryStop goes on with a stop until nothing of the old cluster is left.
//
//	Deployment              pods      then
//	the one to stop         -         take it down (again), or the next step of it
//	it, being deleted       -         wait; say which pods hold it after the clean-up timeout
//	another                 -         Unaccounted
//	Absent                  Unknown   wait
//	Absent                  some run  wait
//	Absent                  none run  delete HA data that may go; then end the stop
func (v *view) carryStop() result {
	intent := v.Intent()
	jm, present := v.Seen.JobManager.Get()
	if present {
		if intent.Stops == nil || jm.UID != intent.Stops.DeploymentUID {
			if v.PreparedOnly(jm) {
				return v.removePrepared(jm)
			}
			return v.stands("a Deployment that the open stop does not account for")
		}
		if jm.DeletionTimestamp == nil {
			return v.stopStep(jm)
		}
		return v.waitForPods()
	}
	if o, lost := v.stopLost(); lost {
		return o
	}
	if o, runs := v.mayRun(); runs {
		return o
	}
	if o, first := v.removeHAData(plan.Stopping); first && v.DisposesHAData() {
		return o
	}
	return v.stopped()
}

// stopped ends a stop: the job is gone for good, so its start, if one follows, is a new intent.
func (v *view) stopped() result {
	intent := v.Intent()
	target, redeploys := v.Target(), v.AsksRedeploy()
	if redeploys {
		target = v.Spec
	}
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if o, runs := v.jobGraphMayRun(&target); runs {
		return o
	}
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		v.RecordSuspended(target, intent.Restore)
		return result{situation: plan.Suspended}
	}
	if redeploys {
		return v.startFrom(v1beta1.PurposeRedeploy, target, "")
	}
	purpose := v.Redirected(target)
	if intent.From != nil {
		return v.beginStart(purpose, target, *intent.From)
	}
	return v.startFrom(purpose, target, intent.Restore)
}

// mayRun waits while a process of a cluster whose Deployment is gone may still run.
func (v *view) mayRun() (result, bool) {
	for _, seen := range []plan.Observed[[]corev1.Pod]{v.Seen.Pods, v.Seen.TaskManagers} {
		if seen.IsUnknown() {
			return v.unobservable("the pods of the cluster", seen.Why()), true
		}
	}
	if o, stands := v.taskManagersStand(); stands {
		return o, true
	}
	if len(nodes.Left(v.Subject)) > 0 {
		return v.waitForPods(), true
	}
	return result{}, false
}

// taskManagersStand takes the TaskManagers of a standalone cluster down. The Java operator makes them in a Deployment
// of their own, which would replace each of their pods that ends.
//
//	the Deployment           JobManager pods   then
//	Unknown                  -                 wait
//	Absent, being deleted    -                 nothing
//	Present                  some may run      wait
//	Present                  none runs         delete it
func (v *view) taskManagersStand() (result, bool) {
	workers, present := v.Seen.TaskManagerDeployment.Get()
	switch {
	case !v.IsStandalone() || v.Seen.TaskManagerDeployment.IsAbsent():
		return result{}, false
	case !present:
		return v.unobservable("the Deployment of the TaskManagers", v.Seen.TaskManagerDeployment.Why()), true
	case nodes.JobManagerLeft(v.Subject):
		return v.waitForPods(), true
	}
	r := v.Seen.Resource
	remove := plan.DeleteCluster{Namespace: r.Namespace, Name: workers.Name, UID: workers.UID, Orphan: v.Orphans()}
	return result{situation: plan.Stopping, actions: []plan.Action{remove}, again: true}, true
}

// waitForPods waits for a cluster that is being deleted, as package nodes decides.
func (v *view) waitForPods() result {
	d := nodes.Judge(v.Subject)
	o := result{situation: plan.Stopping, wait: plan.Cause{Reason: d.Reason, Message: d.Message}, pods: true}
	if d.Stalled {
		o.stall = &o.wait
	}
	if d.Delete != nil {
		o.actions, o.again = []plan.Action{*d.Delete}, true
		o.tells = &plan.Event{
			Warning: true, Reason: plan.ReasonPodDeleted, Component: plan.ComponentJobManager, Message: d.Why,
		}
	}
	return o
}
