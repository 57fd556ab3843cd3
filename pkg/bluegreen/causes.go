package bluegreen

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func servesOn(v *view, t v1beta1.BlueGreenTransition) string {
	if t.From == "" {
		return ""
	}
	return ", and FlinkDeployment " + v.name(t.From) + " serves"
}

func (v *view) aborting(t v1beta1.BlueGreenTransition) plan.Cause {
	return plan.Cause{
		Reason:  plan.ReasonTransitionAborted,
		Message: t.Message + strings.Replace(gone(t), "is", "is being", 1) + servesOn(v, t),
	}
}

func (v *view) awaiting(t v1beta1.BlueGreenTransition) plan.Cause {
	return plan.Cause{
		Reason:  plan.ReasonSideStarting,
		Message: "FlinkDeployment " + v.name(t.Target) + " is to become STABLE with a job that is RUNNING",
	}
}

// stateOf says how far a side is, for the end of a sentence.
func stateOf(d *v1beta1.FlinkDeployment) string {
	wait, stall := notReady(d)
	if stall.Reason != "" {
		wait = stall
	}
	return ": " + wait.Message
}

func (v *view) name(colour v1beta1.BlueGreenType) string { return ChildName(v.Resource.Name, colour) }

func (v *view) takingSavepoint(name string) plan.Cause {
	return plan.Cause{
		Reason:  plan.ReasonTakingTransitionSavepoint,
		Message: "a savepoint of FlinkDeployment " + name + " is being taken; its job runs on",
	}
}

func (v *view) changing(colour v1beta1.BlueGreenType) plan.Cause {
	return plan.Cause{
		Reason: plan.ReasonSideChanging, Message: "FlinkDeployment " + v.name(colour) + " is being changed in place",
	}
}

func (v *view) starting(colour v1beta1.BlueGreenType) plan.Cause {
	return plan.Cause{
		Reason:  plan.ReasonSideStarting,
		Message: "FlinkDeployment " + v.name(colour) + " is to be created",
	}
}

func (v *view) terminating(colour v1beta1.BlueGreenType) plan.Cause {
	return plan.Cause{
		Reason: plan.ReasonSideTerminating, Message: "FlinkDeployment " + v.name(colour) + " is being deleted",
	}
}

// goes waits for a side that is being deleted and that nothing needs any more. A cluster that a user has deleted waits
// for the job on it, which is deleted, too.
func (v *view) goes(d *Decision, side *v1beta1.FlinkDeployment) {
	colour := colourOfName(side.Name)
	if j := v.sessionJob(colour); j != nil && j.DeletionTimestamp == nil {
		d.Actions = append(d.Actions, v.deletion(colour)...)
	}
	v.overdue(d, side)
}

// overdue says that a side which is being deleted is not gone in time.
func (v *view) overdue(d *Decision, side *v1beta1.FlinkDeployment) {
	if side.DeletionTimestamp == nil || v.now().Before(side.DeletionTimestamp.Add(v.cleanupTimeout(side))) {
		return
	}
	wait, stall := notReady(side)
	if stall.Reason != "" {
		wait = stall
	}
	d.Wait, d.Stall = plan.Cause{}, plan.Cause{
		Reason: plan.ReasonSideTerminating,
		Message: fmt.Sprintf(
			"FlinkDeployment %s (UID %s) is being deleted since %s and is not gone; look at what holds it: %s",
			side.Name, side.UID, side.DeletionTimestamp.UTC().Format(time.RFC3339), wait.Message,
		),
	}
}

// notReady says why a side is not ready, in the words of its own conditions.
func notReady(d *v1beta1.FlinkDeployment) (wait, stall plan.Cause) {
	for _, c := range d.Status.Conditions {
		if c.Status != metav1.ConditionTrue {
			continue
		}
		cause := plan.Cause{Reason: plan.Reason(c.Reason), Message: "FlinkDeployment " + d.Name + ": " + c.Message}
		switch c.Type {
		case "Stalled":
			return plan.Cause{}, cause
		case "Reconciling":
			wait = cause
		}
	}
	if wait.Reason == "" {
		wait = plan.Cause{Reason: plan.ReasonSideNotReady, Message: fmt.Sprintf(
			"FlinkDeployment %s is %s and its job %s", d.Name, or(string(d.Status.LifecycleState), "new"),
			or(string(d.Status.JobStatus.State), "not known"),
		)}
	}
	return wait, plan.Cause{}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func slotsMissing(slots Slots, need int) string {
	return fmt.Sprintf(
		"its TaskManagers have %d slots, %d of them free, and the job needs %d", slots.Total, slots.Free, need,
	)
}

// occupied says that a FlinkDeployment of another owner has the name of a side.
func (v *view) occupied(colour v1beta1.BlueGreenType) Decision {
	name := ChildName(v.Resource.Name, colour)
	return Decision{Situation: plan.Unaccounted, Stall: plan.Cause{
		Reason: plan.ReasonSideOfAnother,
		Message: "FlinkDeployment " + name + " is there and is not owned by this resource, so it is left alone and nothing " +
			"is created in its place. Delete or rename it, or give this resource another name",
	}}
}

func unobservable(what, why string) Decision {
	return Decision{Situation: plan.Unobservable, Wait: plan.Cause{
		Reason: plan.ReasonUnobservable, Message: what + " could not be read: " + why,
	}}
}

// gone says what becomes of a target that is given up.
func gone(t v1beta1.BlueGreenTransition) string {
	if t.Split {
		return "; it is deleted"
	}
	return "; it is suspended"
}
