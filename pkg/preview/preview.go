package preview

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Deployment is what an edit of a FlinkDeployment would do, which the inquiry has looked at as edited.
func Deployment(a Asked, i *deployment.Inquiry) View {
	r := i.Seen.Resource
	l := look{
		View: begin(v1beta1.KindFlinkDeployment, r, a), outlook: i.Outlook(), deleting: r.DeletionTimestamp != nil,
		before: after{r.Status.Situation, r.Status.Intent, r.Status.Conditions, r.Status.ReconciliationStatus},
	}
	l.plan = i.Plan()
	return l.told(a, i.Hide)
}

// SessionJob is the same of a FlinkSessionJob.
func SessionJob(a Asked, i *sessionjob.Inquiry) View {
	r := i.Seen.Resource
	l := look{
		View: begin(v1beta1.KindFlinkSessionJob, r, a), outlook: i.Outlook(), deleting: r.DeletionTimestamp != nil,
		before: after{r.Status.Situation, r.Status.Intent, r.Status.Conditions, r.Status.ReconciliationStatus},
	}
	l.plan = i.Plan()
	return l.told(a, i.Hide)
}

// look is one look with its plan.
type look struct {
	View
	outlook world.Outlook
	plan    plan.Plan
	before  after
	// deleting is true of a resource that is being deleted.
	deleting bool
}

// after is what of a status says what was decided.
type after struct {
	situation  string
	intent     *v1beta1.Intent
	conditions []metav1.Condition
	recorded   v1beta1.ReconciliationStatus
}

// after is the status that the plan leaves.
func (l *look) after() after {
	switch s := l.plan.Status.(type) {
	case *v1beta1.FlinkDeploymentStatus:
		if s != nil {
			return after{s.Situation, s.Intent, s.Conditions, s.ReconciliationStatus}
		}
	case *v1beta1.FlinkSessionJobStatus:
		if s != nil {
			return after{s.Situation, s.Intent, s.Conditions, s.ReconciliationStatus}
		}
	}
	return l.before
}

// told is the view of it, without secrets.
func (l *look) told(a Asked, hide func(string) string) View {
	l.Situation, l.Rule = string(l.plan.Situation), l.plan.Rule
	l.compared(a.UpgradeMode)
	l.judged()
	for _, a := range l.plan.Actions {
		switch a := a.(type) {
		case plan.TriggerSavepoint:
			l.step("snapshot", "a savepoint is taken")
		case plan.TriggerCheckpoint:
			l.step("snapshot", "a checkpoint is taken")
		case plan.CreateSnapshot:
			l.step("snapshot", "FlinkStateSnapshot "+a.Object.Name+" is made")
		case plan.Rehearse:
			l.DependsOn = append(l.DependsOn,
				"Kubernetes accepts the pods: it is asked by a dry run first, and if it refuses, what runs is left alone")
		}
	}
	return hidden(l.View, func(text string) string { return redact.Text(hide(text)) })
}

func (l *look) compared(mode string) {
	if l.outlook.First {
		return
	}
	l.Change = string(l.outlook.Change.Kind)
	l.Fields = slices.DeleteFunc(fieldsOf(l.outlook.Change), func(f Field) bool {
		return f.Path == "job.upgradeMode" && f.New == mode
	})
	if len(l.Fields) == 0 && l.Change == string(specdiff.Ignore) {
		l.Change = string(specdiff.None)
	}
}

func fieldsOf(c specdiff.Change) []Field {
	fields := make([]Field, 0, len(c.Fields))
	for _, f := range c.Fields {
		fields = append(fields, Field{Path: f.Path, Old: f.Old, New: f.New, Effect: string(f.Kind)})
	}
	return fields
}

// judged says what the plan comes to. First match wins:
//
//	the resource, or its spec                      the plan                              then
//	is being deleted                               -                                     Nothing
//	is invalid                                     -                                     Invalid
//	-                                              begins an operation                   as its purpose says
//	-                                              scales what runs                      InPlace
//	asks for a suspension                          records it at once                    Suspend
//	-                                              an operation is open                  Waits for its end
//	asks for nothing else                          -                                     Nothing
//	asks for something else                        a user has to act                     Refused
//	asks for something else                        anything else                         Waits
func (l *look) judged() {
	next := l.after()
	begun := next.intent
	if before := l.before.intent; begun != nil && before != nil && before.OperationID == begun.OperationID {
		begun = nil
	}
	switch o := l.outlook; {
	case l.deleting:
		l.Verdict, l.Message = Nothing, "the resource is being deleted"
	case o.Problem != "":
		if begun != nil {
			l.step("meanwhile", string(begun.Purpose)+" begins, by the spec that was accepted last")
			l.begins(begun)
		}
		l.Verdict, l.Message = Invalid, o.Problem
		l.Reason, _ = reasonOf(next.conditions, summary.SpecAccepted, metav1.ConditionFalse)
	case begun != nil:
		l.begins(begun)
	case slices.ContainsFunc(l.plan.Actions, scales):
		l.Verdict = InPlace
		l.inPlace()
	case l.suspendsAtOnce(next):
		l.Verdict = Suspend
		l.step("stop", "nothing runs: the suspension is recorded")
	case o.Open != nil && o.Open.Step != v1beta1.StepReleased:
		l.waitsForOpen(o.Open)
	case !o.Asks || l.plan.Situation == plan.NeverStarted:
		l.nothing(next)
	default:
		l.later(next)
	}
}

func scales(a plan.Action) bool {
	switch a.(type) {
	case plan.Rescale, plan.ScaleTaskManagers:
		return true
	}
	return false
}

func (l *look) suspendsAtOnce(next after) bool {
	return l.outlook.Asks && l.plan.Situation == plan.Suspended &&
		next.recorded.LastReconciledSpec != l.before.recorded.LastReconciledSpec
}

// reasonOf is the reason and the message of a condition with a status; empty without one.
func reasonOf(all []metav1.Condition, kind string, status metav1.ConditionStatus) (reason, message string) {
	for _, c := range all {
		if c.Type == kind && c.Status == status {
			return c.Reason, c.Message
		}
	}
	return "", ""
}

// later says why a change is not made now.
func (l *look) later(next after) {
	l.Verdict = Refused
	l.Reason, l.Message = reasonOf(next.conditions, summary.Stalled, metav1.ConditionTrue)
	if l.Reason == "" {
		l.Verdict = Waits
		l.Reason, l.Message = reasonOf(next.conditions, summary.Reconciling, metav1.ConditionTrue)
	}
	if l.Verdict == Waits && l.outlook.State != "" {
		l.step("meanwhile", "what runs stays as it is: the job is "+string(l.outlook.State))
	}
}

// nothing says what happens although the spec asks for nothing.
func (l *look) nothing(next after) {
	l.Verdict = Nothing
	for _, kind := range []string{summary.Stalled, summary.Reconciling} {
		if reason, message := reasonOf(next.conditions, kind, metav1.ConditionTrue); reason != "" {
			l.step("meanwhile", reason+": "+message)
			return
		}
	}
}

func (l *look) waitsForOpen(open *v1beta1.Intent) {
	l.Verdict, l.Reason = Waits, "OperationOpen"
	l.Message = "an operation is under way (" + string(open.Purpose) + ", " + string(open.Step) + ", since " +
		open.StoredAt.UTC().Format("15:04:05Z") + "); the spec counts when it has ended, or before its start"
	l.DependsOn = append(l.DependsOn, "how that operation ends")
}

// hidden is the view with each text passed through a function.
func hidden(v View, hide func(string) string) View {
	v.Message = hide(v.Message)
	for i := range v.Fields {
		v.Fields[i].Old, v.Fields[i].New = hide(v.Fields[i].Old), hide(v.Fields[i].New)
	}
	for i := range v.Steps {
		v.Steps[i].Text = hide(v.Steps[i].Text)
	}
	for i := range v.Unreadable {
		v.Unreadable[i] = hide(v.Unreadable[i])
	}
	if v.Operation != nil && v.Operation.From != nil {
		from := *v.Operation.From
		from.Path = hide(from.Path)
		v.Operation.From = &from
	}
	return v
}
