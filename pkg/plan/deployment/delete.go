package deployment

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// deleting ends a resource that is marked for deletion. It takes an open intent over; the finalizer goes when a fresh read finds
// nothing of ours left.
//
//	there is                              then
//	no finalizer of ours                  nothing
//	Deployment Unknown                    wait
//	session jobs, or running jobs, that   wait and say which
//	block the deletion
//	a savepoint was asked for             Refused until it can be taken
//	our Deployment                        intent, take it down
//	our Deployment, being deleted         wait
//	nothing, or somebody else's           pods gone? HA data gone? then the finalizer
func deleting(v *view) (outcome, bool) {
	if v.s.Resource.DeletionTimestamp == nil {
		return outcome{}, false
	}
	if _, missing := v.finalizer(); missing {
		return outcome{situation: plan.Deleting}, true
	}
	v.want.LifecycleState = v1beta1.LifecycleDeleting
	jm, present := v.s.JobManager.Get()
	if v.s.JobManager.IsUnknown() {
		return v.unobservable("the JobManager Deployment", v.s.JobManager.Why()), true
	}
	if !v.deletionOpen() {
		if o, blocked := v.deletionBlocked(); blocked {
			return o, true
		}
		v.tell(plan.Event{Reason: "Cleanup", Component: plan.ComponentOperator, Message: "Cleaning up FlinkDeployment"})
	}
	if present && v.owned(jm) {
		if jm.DeletionTimestamp != nil && v.deletionOpen() {
			o := v.waitForPods()
			o.situation = plan.Deleting
			return o, true
		}
		return v.beginDeletion(), true
	}
	return v.lastRites(), true
}

// deletionOpen reports whether the intent of the deletion is stored.
func (v *view) deletionOpen() bool {
	return v.intent() != nil && v.intent().Purpose == v1beta1.PurposeDelete
}

func (v *view) beginDeletion() outcome {
	jm, _ := v.s.JobManager.Get()
	if v.deletionOpen() && v.intent().Stops != nil && v.intent().Stops.DeploymentUID == jm.UID {
		return outcome{situation: plan.Deleting, actions: v.takeDown(jm)}
	}
	events := v.events
	o := v.beginStop(v1beta1.PurposeDelete, v.spec, jm)
	v.events = events // a deletion is told as Cleanup
	return o
}

// lastRites removes what no owner reference removes, then lets the resource go.
func (v *view) lastRites() outcome {
	pods, known := v.s.Pods.Get()
	switch {
	case !known && v.s.Pods.IsUnknown():
		return v.unobservable("the JobManager pods", v.s.Pods.Why())
	case v.kubernetesHA() && v.s.HAData.IsUnknown():
		return v.unobservable("the high-availability ConfigMaps", v.s.HAData.Why())
	}
	if v.s.JobManager.IsAbsent() && len(pods) > 0 {
		return outcome{situation: plan.Deleting, wait: stall{"ClusterTerminating", "the JobManager pods are ending"}}
	}
	found, _ := v.s.HAData.Get()
	if len(found) > 0 && v.last != nil {
		action := plan.DeleteHAData{Namespace: v.s.Resource.Namespace}
		for _, c := range found {
			action.ConfigMaps = append(action.ConfigMaps, c.ObjectVersion)
		}
		return outcome{situation: plan.Deleting, actions: []plan.Action{action}, again: true}
	}
	return outcome{situation: plan.Deleting, finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}}}
}

// deletionBlocked says what must go first, or be done first.
func (v *view) deletionBlocked() (outcome, bool) {
	var reasons []string
	if v.isSession() {
		reasons = v.sessionBlockers()
	} else if v.savepointOnDeletion() && v.last != nil && v.lastRunning() && !v.want.JobStatus.State.IsTerminal() {
		return outcome{situation: plan.Refused, stall: &stall{"SavepointOnDeletionNotSupported",
			"kubernetes.operator.job.savepoint-on-deletion is true and the savepoint cannot be taken yet, so the job is left running; set the option to false to delete without one"}}, true
	}
	if len(reasons) == 0 {
		return outcome{}, false
	}
	message := "The session cluster is not deleted while " + strings.Join(reasons, " and ")
	if !v.stalledAlready(message) {
		v.tell(plan.Event{Warning: true, Reason: "CleanupFailed", Component: plan.ComponentOperator, Message: message})
	}
	return outcome{situation: plan.Deleting, stall: &stall{"CleanupBlocked", message}}, true
}

// sessionBlockers lists what runs in a session cluster that is being deleted, as far as the options say that it matters.
func (v *view) sessionBlockers() []string {
	var reasons []string
	if v.blocksOnSessionJobs() {
		jobs, ok := v.s.SessionJobs.Get()
		switch {
		case v.s.SessionJobs.IsUnknown():
			reasons = append(reasons, "its session jobs cannot be listed: "+v.s.SessionJobs.Why())
		case ok && len(jobs) > 0:
			reasons = append(reasons, fmt.Sprintf("there are session jobs for it (%s)", strings.Join(jobs, ", ")))
		}
	}
	if v.blocksOnUnmanagedJobs() {
		var running []string
		jobs, _ := v.s.Flink.Jobs.Get()
		for _, j := range jobs {
			if !j.State.IsTerminal() {
				running = append(running, j.ID)
			}
		}
		if len(running) > 0 {
			reasons = append(reasons, fmt.Sprintf("jobs run in it (%s)", strings.Join(running, ", ")))
		}
	}
	return reasons
}
