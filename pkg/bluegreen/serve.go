package bluegreen

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// retiring stores that the target serves, moves the Ingress to it, and then deletes the old side.
func (v *view) retiring(t v1beta1.BlueGreenTransition) Decision {
	d := v.at(t, Retiring, v.terminating(t.From))
	d.Soon, d.Again = true, true
	if v.ingressFailed() == nil {
		v.moveIngress(t.Target, &d)
	}
	d.Actions = append(d.Actions, v.deletion(t.From)...)
	return d
}

// serves records that the target is the active side. A change is open until the old one is gone.
func (v *view) serves(t v1beta1.BlueGreenTransition, old *v1beta1.FlinkDeployment) Decision {
	next := v.next()
	d := Decision{Situation: Retiring, Status: next, Ahead: true, Again: true}
	next.LastReconciledSpec = t.Spec
	next.BlueGreenState = activeState(t.Target)
	next.JobStatus.State, next.Error = v1beta1.FlinkJobRunning, ""
	next.AbortTimestamp, next.DeploymentReadyTimestamp = v1beta1.BlueGreenTimeReset, v1beta1.BlueGreenTimeReset
	next.SavepointTriggerID, next.FailedAttempt, next.Retry = "", nil, nil
	message := "FlinkDeployment " + v.name(t.Target) + " serves"
	if t.From != "" {
		message += " instead of FlinkDeployment " + v.name(t.From)
	}
	message += darkText(t)
	d.Events = []plan.Event{{
		Reason: plan.ReasonTransitionCompleted, Once: true, Key: t.OperationID, Message: message,
	}}
	if old == nil {
		next.Transition = nil
		d.Situation = plan.Steady
		return d
	}
	t.Step, t.Since = v1beta1.BlueGreenRetired, metav1.NewTime(v.now())
	t.Spec, t.Path = "", ""
	next.Transition = &t
	d.Wait = v.terminating(t.From)
	return d
}
