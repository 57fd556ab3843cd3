package preview

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Pair is what an edit of a FlinkBlueGreenDeployment would do, which was looked at as edited.
func Pair(a Asked, s bluegreen.Snapshot) View {
	r := s.Resource
	v := begin(v1beta1.KindFlinkBlueGreenDeployment, r, a)
	p := bluegreen.Make(s)
	v.Situation, v.Rule = string(p.Situation), p.Rule
	last := lastOf(r)
	if last != nil {
		change := specdiff.ClassifyBlueGreen(last, &r.Spec)
		v.Change, v.Fields = string(change.Kind), fieldsOf(change.Template)
	}
	next := &r.Status
	if status, is := p.Status.(*v1beta1.FlinkBlueGreenDeploymentStatus); is && status != nil {
		next = status
	}
	t, before := next.Transition, r.Status.Transition
	invalid, why := reasonOf(next.Conditions, summary.SpecAccepted, metav1.ConditionFalse)
	stalled, until := reasonOf(next.Conditions, summary.Stalled, metav1.ConditionTrue)
	switch rests := p.Situation == plan.Steady || p.Situation == plan.Suspended || p.Situation == plan.NeverStarted; {
	case r.DeletionTimestamp != nil:
		v.Verdict, v.Message = Nothing, "the resource is being deleted"
	case invalid != "":
		v.Verdict, v.Reason, v.Message = Invalid, invalid, why
	case t != nil && (before == nil || before.OperationID != t.OperationID):
		v.Verdict = Transition
		v.transition(*t, bluegreen.ChildName(r.Name, t.Target))
	case stalled != "":
		v.Verdict, v.Reason, v.Message = Refused, stalled, until
	case before != nil || !rests:
		v.Verdict = Waits
		v.Reason, v.Message = reasonOf(next.Conditions, summary.Reconciling, metav1.ConditionTrue)
	default:
		v.Verdict = Nothing
	}
	hide := bluegreen.Hider(s)
	return hidden(v, func(text string) string { return redact.Text(hide(text)) })
}

func lastOf(r *v1beta1.FlinkBlueGreenDeployment) *v1beta1.FlinkBlueGreenDeploymentSpec {
	if r.Status.LastReconciledSpec == "" {
		return nil
	}
	last, err := v1beta1.ParseReconciledBlueGreen(r.Status.LastReconciledSpec)
	if err != nil {
		return nil
	}
	return &last
}

// transition says what the change of a pair that begins does.
func (v *View) transition(t v1beta1.BlueGreenTransition, side string) {
	switch t.Step {
	case v1beta1.BlueGreenPatch, v1beta1.BlueGreenSettle:
		v.step("side", "FlinkDeployment "+side+", which serves, gets the spec in place: kn flink plan flinkdep/"+side+
			" says what that does to its job")
		v.DependsOn = append(v.DependsOn, "what FlinkDeployment "+side+" does for its new spec")
		return
	case v1beta1.BlueGreenSavepoint:
		v.step("savepoint", "one of the job that serves is taken; that job keeps running")
		v.step("side", "FlinkDeployment "+side+" is made, and starts from that savepoint")
	default:
		v.step("side", "FlinkDeployment "+side+" is made")
		from := t.Path
		if from == "" {
			from = "nothing: no state"
		}
		v.step("start from", from)
	}
	if t.From != "" {
		v.step("then", "when it is ready, and its gates have passed, the side that serves is deleted; if it does not become "+
			"ready in time, it is suspended, and the other side keeps serving")
	}
}
