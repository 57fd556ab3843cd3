package deployment

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// change decides for a resource whose spec asks for something else than what was acted on last.
//
//	acted on   asked      change   upgrade mode   then
//	running    suspended  any      stateless      stop, end suspended
//	running    running    upgrade  stateless      stop, start
//	running    running    upgrade  other          Refused, unless the JobManager never started: then as stateless, from the same state
//	suspended  running    any      stateless      start (stop first if a Deployment is left)
//	suspended  running    any      other          Refused, unless nothing ever ran
//	any        any        ignored  any            only observedGeneration moves
//
// Until the other upgrade modes exist, a change that needs state is refused: it is never treated as stateless.
func change(v *view) (outcome, bool) {
	if v.last == nil {
		return outcome{}, false
	}
	v.observe()
	if v.problem != "" {
		v.rejected()
	}
	wanted, running := v.wantsRunning(), v.lastRunning()
	diff := specdiff.Classify(&v.last.Spec, &v.spec, v.spec.DesiredMode())
	switch {
	case running && !wanted:
		return v.suspend(), true
	case !running && wanted:
		return v.resume(), true
	case !running || !diff.Kind.Effective():
		if v.problem == "" {
			v.want.ObservedGeneration = v.generation
		}
		return outcome{}, false
	}
	return v.upgrade(diff), true
}

func (v *view) tellChange(diff specdiff.Change) {
	v.tell(plan.Event{
		Reason: "SpecChanged", Component: plan.ComponentJobManager, Once: true, Key: fmt.Sprintf("SpecChange: %d", v.generation),
		Message: diff.EventMessage(),
	})
}

func (v *view) upgrade(diff specdiff.Change) outcome {
	from, refusal := v.stateAfterStop()
	if refusal != nil {
		return outcome{situation: plan.Refused, stall: refusal}
	}
	v.tellChange(diff)
	jm, present := v.s.JobManager.Get()
	if !present {
		return v.beginStart(v1beta1.PurposeUpgrade, v.spec, from)
	}
	o := v.beginStop(v1beta1.PurposeUpgrade, v.spec, jm)
	v.want.Intent.From = &from
	return o
}

func (v *view) suspend() outcome {
	from, refusal := v.stateAfterStop()
	if refusal != nil {
		return outcome{situation: plan.Refused, stall: refusal}
	}
	jm, present := v.s.JobManager.Get()
	if !present {
		return v.recordSuspended(v.spec)
	}
	o := v.beginStop(v1beta1.PurposeSuspend, v.spec, jm)
	v.want.Intent.From = &from
	return o
}

func (v *view) resume() outcome {
	from := v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Stateless"}
	switch {
	case v.mayStartEmpty():
	case v.isFirst():
		from = firstState(&v.spec)
	default:
		return outcome{situation: plan.Refused, stall: unsupported(&v.spec)}
	}
	jm, present := v.s.JobManager.Get()
	if !present {
		return v.beginStart(v1beta1.PurposeResume, v.spec, from)
	}
	o := v.beginStop(v1beta1.PurposeResume, v.spec, jm)
	v.want.Intent.From = &from
	return o
}

// stateAfterStop is the state that the next start uses after the running cluster was stopped, or why it cannot be stopped.
//
//	spec      JobManager of a first deployment   then
//	stateless any                                empty
//	stateful  never started, no HA checkpoint    the state that the first deployment was to start from
//	stateful  otherwise                          refused
func (v *view) stateAfterStop() (v1beta1.StartPoint, *stall) {
	if v.mayStartEmpty() {
		return v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Stateless"}, nil
	}
	jm, present := v.s.JobManager.Get()
	if present && v.isFirst() && v.neverRan(jm) && v.want.ReconciliationStatus.LastStableSpec == "" && v.want.JobStatus.StartTime == "" {
		from := v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "NeverStarted"}
		if path := v.want.JobStatus.UpgradeSavepointPath; path != "" {
			from = v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: path, Reason: "NeverStarted"}
		}
		return from, nil
	}
	return v1beta1.StartPoint{}, unsupported(&v.spec)
}

// startWindow is how soon after its Deployment the first pod of a start exists. A JobManager cannot start, run a job and be replaced
// within it, so the only pod, created within it, is the first one.
const startWindow = 10 * time.Second

// neverRan reports whether no container of the start ever ran: one pod, the first one, with nothing started in it. Any doubt is a no.
func (v *view) neverRan(jm *appsv1.Deployment) bool {
	pods, ok := v.s.Pods.Get()
	if !ok || len(pods) != 1 || pods[0].CreationTimestamp.After(jm.CreationTimestamp.Add(startWindow)) {
		return false
	}
	for _, c := range append(slices.Clone(pods[0].Status.InitContainerStatuses), pods[0].Status.ContainerStatuses...) {
		if c.RestartCount > 0 || c.State.Running != nil || c.State.Terminated != nil || c.LastTerminationState.Terminated != nil {
			return false
		}
	}
	return true
}

func unsupported(spec *v1beta1.FlinkDeploymentSpec) *stall {
	return &stall{"UpgradeModeNotSupported", fmt.Sprintf(
		"spec.job.upgradeMode %q cannot be carried out yet, so the change is not made and the job is left as it is; undo the change, or set upgradeMode to %q to give up the job's state",
		spec.Job.DesiredUpgradeMode(), v1beta1.UpgradeModeStateless)}
}
