package deployment

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Reasons of the condition IngressReady while nothing has failed.
const (
	ingressApplying = "Applying"
	ingressRemoving = "Removing"
)

// judgeIngress compares the Ingress with what the spec that runs asks for, beside whatever else this round decides.
//
//	the spec asks for        the Ingress of that name    then     IngressReady
//	anything, unmanaged      -                           -        -
//	one that cannot be made  -                           -        False CannotRender
//	-                        Unknown                     -        Unknown, if somebody looked
//	none                     absent, or not ours         -        -
//	none                     ours                        delete   False Removing
//	one                      as the spec asks            -        True
//	one                      somebody else's             -        False ForeignObject
//	one                      absent, or another          apply    False Applying
//
// While an operation is under way the condition stays as it was: the release is the next to look.
func (v *view) judgeIngress() {
	r, intent := v.Seen.Resource, v.Look.Intent()
	if v.Look.Last == nil || r.DeletionTimestamp != nil || (intent != nil && intent.Step != v1beta1.StepReleased) {
		return
	}
	seen, there := v.Seen.Ingress.Get()
	if v.ingress == nil && v.Look.Running().Ingress == nil && !there && v.Seen.Ingress.Why() == "" {
		return // nothing to show, to make or to remove, whoever manages it
	}
	wanted, managed, err := cluster.RenderIngress(v.Cluster, *v.Look.Running())
	ours := there && slices.ContainsFunc(seen.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.UID == r.UID
	})
	switch unknown := v.Seen.Ingress.IsUnknown(); {
	case !managed:
		v.ingress = nil
	case err != nil:
		v.showIngress(metav1.ConditionFalse, "CannotRender", err.Error())
	case unknown && v.Seen.Ingress.Why() != "":
		v.showIngress(metav1.ConditionUnknown, "Unobservable", "the Ingress cannot be read: "+v.Seen.Ingress.Why())
	case unknown:
	case wanted == nil && !ours:
		v.ingress = nil
	case wanted == nil:
		v.showIngress(metav1.ConditionFalse, ingressRemoving, "the spec has no Ingress; the existing one will be deleted")
		v.ingressAction = plan.DeleteIngress{Namespace: seen.Namespace, Name: seen.Name, UID: seen.UID}
	case there && !ours:
		v.showIngress(
			metav1.ConditionFalse, "ForeignObject",
			fmt.Sprintf("there is an Ingress %s that is not ours; rename or delete it", seen.Name),
		)
	case there && render.SameIngress(seen, wanted):
		v.showIngress(metav1.ConditionTrue, "Applied", "the Ingress matches the spec")
	default:
		v.showIngress(metav1.ConditionFalse, ingressApplying, "the Ingress does not match the spec yet")
		v.ingressAction = plan.ApplyIngress{Ingress: wanted}
	}
}

// showIngress sets the condition. The reason of a failure stays until what failed came about, or something else is the
// matter.
func (v *view) showIngress(status metav1.ConditionStatus, reason, message string) {
	if v.ingressFailed() && (reason == ingressApplying || reason == ingressRemoving) {
		return
	}
	v.ingress = &metav1.Condition{Type: summary.IngressReady, Status: status, Reason: reason, Message: message}
}

// ingressFailed reports whether the condition shows that the Ingress could not be made, changed or removed.
func (v *view) ingressFailed() bool {
	return v.ingress != nil && v.ingress.Status == metav1.ConditionFalse && v.ingress.Reason != ingressApplying &&
		v.ingress.Reason != ingressRemoving
}

// fixesIngress reports whether this round changes the Ingress: one to which no other follows at once and, after a
// failure, one at the pace of the sweep.
func fixesIngress(v *view, r decision.Result) bool {
	return v.ingressAction != nil && !r.Again && (!v.ingressFailed() || v.Look.Want.Pace != v1beta1.PaceFast)
}

// ingressFailed shows, in the status that a round left behind, an Ingress that could not be made, changed or
// removed. The cluster is as well as before, so neither the pass nor the resource has failed; the sweep tries again.
func ingressFailed(s cluster.Snapshot, reason, message string) plan.Plan {
	v, left := Open(s).view, s.Resource.Status
	text := "the Ingress could not be made, changed or removed: " + v.Look.Hide(message)
	p := plan.Plan{Situation: plan.Situation(left.Situation)}
	if told := v.ingress; told == nil || told.Message != text {
		p.Events = []plan.Event{
			{Warning: true, Reason: plan.ReasonIngressFailed, Component: plan.ComponentOperator, Message: text},
		}
	}
	v.ingress = &metav1.Condition{
		Type: summary.IngressReady, Status: metav1.ConditionFalse, Reason: reason, Message: text,
	}
	next := left.DeepCopy()
	next.Conditions = status.With(left.Conditions, *v.ingress, summary.At{
		Now: v.Seen.Now, Generation: v.Look.Resource().Generation,
	})
	if !status.SameMeaning(left, *next) {
		p.Status = next
	}
	return p
}
