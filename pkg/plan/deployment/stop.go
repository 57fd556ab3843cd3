package deployment

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

// A stop without state, drawn for one pass and the next:
//
//	status          Flink            Kubernetes
//	intent stored
//	                PATCH cancel     (not awaited; may fail)
//	                                 DELETE Deployment <uid>, foreground
//	... the Deployment's deletion wakes a pass ...
//	                                 no Deployment, no pod left: delete HA data when it may go
//	start or end

// beginStop stores the intent to take the running cluster down, and begins to. The Deployment must be present.
func (v *view) beginStop(purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, jm *appsv1.Deployment) outcome {
	intent := v.newIntent(purpose, v1beta1.StepStopping, target)
	intent.Stops = &v1beta1.Incarnation{
		DeploymentUID: jm.UID, JobID: v.Want.JobStatus.JobID, JobStartTime: v.Want.JobStatus.StartTime,
	}
	v.Want.Intent = intent
	v.RecordStopping(purpose)
	v.Tell(plan.Event{Reason: "Suspended", Component: plan.ComponentJobManager, Message: "Suspending existing deployment."})
	return outcome{situation: stopSituation(purpose), record: "intent", actions: v.takeDown(jm)}
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

// takeDown cancels the job, as far as someone answers, and deletes the cluster.
func (v *view) takeDown(jm *appsv1.Deployment) []plan.Action {
	var actions []plan.Action
	if jobs, ok := v.Seen.Flink.Jobs.Get(); ok {
		if job, found := subject.FindJob(jobs, v.Want.JobStatus.JobID); found && cancellable(job.State) {
			actions = append(actions, plan.CancelJob{JobID: job.ID, Endpoint: v.Endpoint()})
		}
	}
	return append(actions, v.deleteCluster(jm))
}

func cancellable(state v1beta1.FlinkJobState) bool {
	return !state.IsTerminal() && state != v1beta1.FlinkJobCancelling && state != v1beta1.FlinkJobReconciling
}

func (v *view) deleteCluster(jm *appsv1.Deployment) plan.DeleteCluster {
	owned, _ := v.Seen.Owned.Get()
	return plan.DeleteCluster{Namespace: jm.Namespace, Name: jm.Name, UID: jm.UID, Propagation: v.Propagation(), Owned: owned}
}

// carryStop goes on with a stop until nothing of the old cluster is left.
//
//	Deployment              pods      then
//	the one to stop         -         take it down (again)
//	it, being deleted       -         wait; say which pods hold it after the clean-up timeout
//	another                 -         Unaccounted
//	Absent                  Unknown   wait
//	Absent                  some      wait
//	Absent                  none      delete HA data that may go; then end the stop
func (v *view) carryStop() outcome {
	intent := v.Intent()
	jm, present := v.Seen.JobManager.Get()
	if present {
		if intent.Stops == nil || jm.UID != intent.Stops.DeploymentUID {
			return v.stands("a Deployment that the open stop does not account for")
		}
		if jm.DeletionTimestamp == nil {
			return outcome{situation: plan.Stopping, actions: v.takeDown(jm)}
		}
		return v.waitForPods()
	}
	pods, known := v.Seen.Pods.Get()
	if !known && !v.Seen.Pods.IsAbsent() {
		return v.unobservable("the JobManager pods", v.Seen.Pods.Why())
	}
	if len(pods) > 0 {
		return v.waitForPods()
	}
	if v.disposesHAData() && v.Seen.HAData.IsUnknown() {
		return v.unobservable("the high-availability ConfigMaps", v.Seen.HAData.Why())
	}
	if data, ok := v.disposableHAData(); ok {
		return outcome{situation: plan.Stopping, again: true, actions: []plan.Action{data}}
	}
	return v.stopped()
}

// stopped ends a stop: the job is gone for good, so its start, if one follows, is a new intent.
func (v *view) stopped() outcome {
	intent := v.Intent()
	target := v.target()
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		v.RecordSuspended(target)
		return outcome{situation: plan.Suspended}
	}
	from := v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Stateless"}
	if intent.From != nil {
		from = *intent.From
	}
	return v.beginStart(intent.Purpose, target, from)
}

// waitForPods waits for a cluster that is being deleted, and says who holds it up when it takes too long.
func (v *view) waitForPods() outcome {
	pods, _ := v.Seen.Pods.Get()
	wait := stall{"ClusterTerminating", "the old cluster is being deleted"}
	if v.Since(v.Intent().StoredAt) <= v.CleanupTimeout() || len(pods) == 0 {
		return outcome{situation: plan.Stopping, wait: wait}
	}
	var names, nodes []string
	for _, p := range pods {
		names = append(names, p.Name)
		nodes = append(nodes, p.Spec.NodeName)
	}
	r := v.Seen.Resource
	return outcome{situation: plan.Stopping, stall: &stall{"NodeUnreachable", fmt.Sprintf(
		"pods %s on nodes %s do not end; if those nodes are really down, run: kubectl delete pod -n %s --force --grace-period=0 %s",
		strings.Join(names, ", "), strings.Join(nodes, ", "), r.Namespace, strings.Join(names, " "))}}
}

// disposesHAData reports whether the open stop ends with the high-availability data removed: a deletion does, and the stop of a job
// that needs no state. A session cluster keeps it while it is upgraded, because its jobs may need it.
func (v *view) disposesHAData() bool {
	if !v.KubernetesHA() {
		return false
	}
	if v.Intent().Purpose == v1beta1.PurposeDelete {
		return true
	}
	target := v.target()
	return target.Job != nil && subject.Stateless(&target)
}

// disposableHAData is that removal, of what the round saw.
func (v *view) disposableHAData() (plan.Action, bool) {
	found, ok := v.Seen.HAData.Get()
	if !ok || len(found) == 0 || !v.disposesHAData() {
		return nil, false
	}
	action := plan.DeleteHAData{Namespace: v.Seen.Resource.Namespace}
	for _, c := range found {
		action.ConfigMaps = append(action.ConfigMaps, c.ObjectVersion)
	}
	return action, true
}
