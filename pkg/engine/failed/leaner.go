package failed

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Parts are those of a status of any kind of job. A deletion goes on without them, but for Job and the intent.
type Parts struct {
	// Job is the job's.
	Job *v1beta1.JobStatus
	// Recorded are the specs: one is of a cluster that may run.
	Recorded *v1beta1.ReconciliationStatus
	// Conditions, Error and ClusterInfo are for people.
	Conditions *[]metav1.Condition
	// Error is status.error.
	Error *string
	// ClusterInfo has the figures of the cluster.
	ClusterInfo *map[string]string
	// TaskManager is for the scale subresource; nil where the kind has none.
	TaskManager **v1beta1.TaskManagerInfo
	// Progress has the intent, which stays.
	Progress *v1beta1.Progress
}

// leaner are plans of a deletion whose status was refused because of its size, each for an API server that refuses the
// one before it, too. There are none for what is no deletion.
//
//	 #  leaves out
//	N1  the recorded spec that does not run: after a rollback lastReconciledSpec, else lastStableSpec
//	N2  also what each look derives again, and the messages of the other conditions
//	N3  also all conditions
//	N4  the whole status, unless Flink is asked for a savepoint: every other effect of a deletion may be had again
func leaner(k Kind, e Effect) []plan.Plan {
	p, failed := e.Plan, e.Action // nil: at the end of a round
	r, next := k.Left().Look.Resource(), p.StatusIn(failed)
	if r.DeletionTimestamp == nil || next == nil {
		return nil
	}
	done := slices.Index(p.Actions, failed) // what came before it was carried out
	if failed == nil {
		done = len(p.Actions)
	}
	p.Actions = p.Actions[done:]
	if !slices.ContainsFunc(r.Status.Conditions, facts.TellsTooLarge) {
		p.Events = nil // they were told beside the status that was refused
	}
	var plans []plan.Plan
	for _, leave := range []func(Parts){leaveSpec, leaveDerived, leaveConditions} {
		again, parts := k.Parts(next)
		leave(parts)
		lean := p
		lean.Actions = slices.Clone(p.Actions)
		for i, a := range lean.Actions {
			if record, is := a.(plan.Record); is && record.Status == next {
				record.Status = again
				lean.Actions[i] = record
			}
		}
		if lean.Status == next {
			lean.Status = again
		}
		plans = append(plans, lean)
	}
	if slices.ContainsFunc(p.Actions, asksForSavepoint) {
		return plans
	}
	p.Actions = slices.DeleteFunc(slices.Clone(p.Actions), func(a plan.Action) bool {
		record, is := a.(plan.Record)
		return is && record.Status == next
	})
	if p.Status == next {
		p.Status = nil
	}
	return append(plans, p)
}

// asksForSavepoint reports whether an action asks Flink for a savepoint, which has to be known before.
func asksForSavepoint(a plan.Action) bool {
	switch a.(type) {
	case plan.StopWithSavepoint, plan.TriggerSavepoint:
		return true
	}
	return false
}

func leaveSpec(d Parts) {
	if r := d.Recorded; r.State == v1beta1.ReconciliationRolledBack && r.LastStableSpec != "" {
		r.LastReconciledSpec = r.LastStableSpec
	}
	d.Recorded.LastStableSpec = ""
}

func leaveDerived(d Parts) {
	leaveSpec(d)
	*d.Error, *d.ClusterInfo = "", nil
	if d.TaskManager != nil {
		*d.TaskManager = nil
	}
	*d.Conditions = slices.DeleteFunc(*d.Conditions, func(c metav1.Condition) bool {
		return slices.Contains(derived, c.Type)
	})
	for i := range *d.Conditions {
		(*d.Conditions)[i].Message = ""
	}
}

func leaveConditions(d Parts) {
	leaveDerived(d)
	*d.Conditions = nil
}
