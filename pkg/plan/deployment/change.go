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
	if v.Last == nil {
		return outcome{}, false
	}
	v.Observe()
	if v.Problem != "" {
		v.rejected()
	}
	wanted, running := v.WantsRunning(), v.LastRunning()
	diff := specdiff.Classify(&v.Last.Spec, &v.Spec, v.Spec.DesiredMode())
	switch {
	case running && !wanted:
		return v.suspend(), true
	case !running && wanted:
		return v.resume(), true
	case !running || !diff.Kind.Effective():
		if v.Problem == "" {
			v.Want.ObservedGeneration = v.Generation
		}
		return outcome{}, false
	}
	return v.upgrade(diff), true
}

func (v *view) tellChange(diff specdiff.Change) {
	v.Tell(plan.Event{
		Reason: "SpecChanged", Component: plan.ComponentJobManager, Once: true, Key: fmt.Sprintf("SpecChange: %d", v.Generation),
		Message: diff.EventMessage(),
	})
}

func (v *view) upgrade(diff specdiff.Change) outcome {
	from, refusal := v.stateAfterStop()
	if refusal != nil {
		return outcome{situation: plan.Refused, stall: refusal}
	}
	v.tellChange(diff)
	jm, present := v.Seen.JobManager.Get()
	if !present {
		return v.beginStart(v1beta1.PurposeUpgrade, v.Spec, from)
	}
	o := v.beginStop(v1beta1.PurposeUpgrade, v.Spec, jm)
	v.Want.Intent.From = &from
	return o
}

func (v *view) suspend() outcome {
	from, refusal := v.stateAfterStop()
	if refusal != nil {
		return outcome{situation: plan.Refused, stall: refusal}
	}
	jm, present := v.Seen.JobManager.Get()
	if !present {
		v.RecordSuspended(v.Spec)
		return outcome{situation: plan.Suspended}
	}
	o := v.beginStop(v1beta1.PurposeSuspend, v.Spec, jm)
	v.Want.Intent.From = &from
	return o
}

func (v *view) resume() outcome {
	from := v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Stateless"}
	switch {
	case v.MayStartEmpty():
	case v.IsFirst():
		from = firstState(&v.Spec)
	default:
		return outcome{situation: plan.Refused, stall: unsupported(&v.Spec)}
	}
	jm, present := v.Seen.JobManager.Get()
	if !present {
		return v.beginStart(v1beta1.PurposeResume, v.Spec, from)
	}
	o := v.beginStop(v1beta1.PurposeResume, v.Spec, jm)
	v.Want.Intent.From = &from
	return o
}

// stateAfterStop is the state that the next start uses after the running cluster was stopped, or why it cannot be stopped.
//
//	spec      JobManager of a first deployment   then
//	stateless any                                empty
//	stateful  never started, no HA checkpoint    the state that the first deployment was to start from
//	stateful  otherwise                          refused
func (v *view) stateAfterStop() (v1beta1.StartPoint, *stall) {
	if v.MayStartEmpty() {
		return v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Stateless"}, nil
	}
	jm, present := v.Seen.JobManager.Get()
	if present && v.IsFirst() && v.neverRan(jm) && v.Want.ReconciliationStatus.LastStableSpec == "" && v.Want.JobStatus.StartTime == "" {
		from := v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "NeverStarted"}
		if path := v.Want.JobStatus.UpgradeSavepointPath; path != "" {
			from = v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: path, Reason: "NeverStarted"}
		}
		return from, nil
	}
	return v1beta1.StartPoint{}, unsupported(&v.Spec)
}

// startWindow is how soon after its Deployment the first pod of a start exists. A JobManager cannot start, run a job and be replaced
// within it, so the only pod, created within it, is the first one.
const startWindow = 10 * time.Second

// neverRan reports whether no container of the start ever ran: one pod, the first one, with nothing started in it. Any doubt is a no.
func (v *view) neverRan(jm *appsv1.Deployment) bool {
	pods, ok := v.Seen.Pods.Get()
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
