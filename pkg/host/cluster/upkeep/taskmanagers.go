package upkeep

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/takedown"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// The TaskManagers of a standalone cluster are a Deployment of their own. It is prepared with the JobManager's, which
// owns it, so that both go together, and has no replicas until the start is released: a start that is given up leaves
// no TaskManager that the next JobManager would take for its own.

// Scaled takes over a spec that asks for another number of TaskManagers and for nothing else, where the job can go on:
// in reactive mode it uses what TaskManagers there are. The spec is recorded as what runs, and TaskManagers makes it
// so. All must hold:
//
//	the spec is valid, and differs from what was acted on last by what scales a standalone cluster, see specdiff.Scale
//	the cluster runs, in the state DEPLOYED, with scheduler-mode: reactive, and its TaskManagers' Deployment is there
//	what the autoscaler keeps can be read, where it is given up
//
// Without reactive mode such a change is an upgrade.
func Scaled(v *cluster.Cluster) (decision.Result, bool) {
	if !cluster.KeepsTaskManagers(v) || v.Look.Problem != "" || !v.Look.WantsRunning() || !cluster.Reactive(v) ||
		v.Look.Want.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || facts.AwaitsStore(v.Look) {
		return decision.Result{}, false
	}
	diff := v.Look.Changed()
	switch seen := v.Seen.TaskManagerDeployment; {
	case diff.Kind != specdiff.Scale || seen.IsAbsent():
		return decision.Result{}, false
	case seen.IsUnknown():
		return decision.Unobservable("the Deployment of the TaskManagers", seen.Why()), true
	}
	record.Scaled(v.Look, v.Look.Spec)
	v.Look.Tell(plan.Event{
		Reason: plan.ReasonSpecChanged, Component: plan.ComponentJobManager, Once: true,
		Key: fmt.Sprintf("SpecChange: %d", v.Look.Generation), Message: diff.EventMessage(),
	})
	return decision.Result{Situation: plan.Waiting, Record: "scale", Again: true, Wait: plan.Cause{
		Reason: plan.ReasonScaling, Message: "the TaskManagers are being scaled",
	}}, true
}

// TaskManagers keeps the TaskManagers of a standalone cluster that runs as its spec has them. First match wins:
//
//	#   their Deployment    then
//	W1  not known           as the rules that follow decide
//	W2  is not there        make it again, as its start did; one of another operator's is left away
//	W3  has other replicas  scale it
//	W4  is there            as the rules that follow decide
func TaskManagers(v *cluster.Cluster) (decision.Result, bool) {
	if !cluster.KeepsTaskManagers(v) || v.Seen.TaskManagerDeployment.IsUnknown() {
		return decision.Result{}, false
	}
	jm, _ := v.Seen.JobManager.Get()
	there, present := v.Seen.TaskManagerDeployment.Get()
	operation := cluster.OwnOperation(jm)
	if !present && operation == "" {
		return decision.Result{}, false
	}
	made, err := renderRunning(v, operation)
	if err != nil || made.TaskManager == nil {
		return decision.Result{}, false
	}
	wanted := evidence.Replicas(made.TaskManager)
	r := decision.Result{Situation: plan.Waiting, Again: true, Wait: plan.Cause{
		Reason: plan.ReasonScaling, Message: "the TaskManagers are being scaled",
	}}
	switch {
	case !present:
		r.Actions = []plan.Action{plan.MakeTaskManagers{Operation: operation, Cluster: made}}
		r.Tells = []plan.Event{{
			Warning: true, Reason: plan.ReasonTaskManagersMissing, Component: plan.ComponentJobManager,
			Message: "The Deployment of the TaskManagers is gone; it is made again",
		}}
	case there.Replicas != wanted:
		r.Actions = []plan.Action{takedown.Scale(v, there, wanted)}
	default:
		return decision.Result{}, false
	}
	return r, true
}

// renderRunning makes the objects of what runs, as its start made them; only those that are not there count.
func renderRunning(v *cluster.Cluster, operation string) (render.Cluster, error) {
	text, err := storedspec.Text(*v.Look.Running())
	if err != nil {
		return render.Cluster{}, err
	}
	made, _, err := cluster.RenderStart(v, &v1beta1.Intent{
		OperationID: operation, Generation: v.Look.Deployed, JobID: v.Look.Want.JobStatus.JobID, Spec: text,
		From: v.Look.Want.JobStatus.StartedFrom, Options: flinkconf.Started(v.Look.Config()),
	})
	return made, err
}
