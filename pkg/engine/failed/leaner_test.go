package failed

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// kindOf is a FlinkDeployment that an effect failed for.
func kindOf(r *v1beta1.FlinkDeployment) Kind {
	return Kind{
		Parts: partsOfStatus,
		Left:  func() Left { return Left{Look: world.New(&world.Seen{Resource: r})} },
	}
}

// partsOfStatus copies a FlinkDeployment's status.
func partsOfStatus(status any) (any, Parts) {
	next := status.(*v1beta1.FlinkDeploymentStatus).DeepCopy()
	return next, Parts{
		Job: &next.JobStatus, Recorded: &next.ReconciliationStatus, Conditions: &next.Conditions, Error: &next.Error,
		ClusterInfo: &next.ClusterInfo, TaskManager: &next.TaskManager, Progress: &next.Progress,
	}
}

// Each plan leaves out more than the one before, and never the spec of a cluster that may run, nor the intent. The last
// one stores nothing.
func TestLeaner(t *testing.T) {
	const runs, other = "the spec that runs", "the other one"
	rows := map[string]v1beta1.ReconciliationStatus{
		"deployed": {State: v1beta1.ReconciliationDeployed, LastReconciledSpec: runs, LastStableSpec: other},
		"rolled back": {
			State: v1beta1.ReconciliationRolledBack, LastReconciledSpec: other, LastStableSpec: runs,
		},
		"rolled back, and stored lean before": {State: v1beta1.ReconciliationRolledBack, LastReconciledSpec: runs},
	}
	for name, recorded := range rows {
		t.Run(name, func(t *testing.T) {
			next := &v1beta1.FlinkDeploymentStatus{
				ReconciliationStatus: recorded, Error: "why", TaskManager: &v1beta1.TaskManagerInfo{},
				Conditions: []metav1.Condition{
					{Type: summary.Stalled, Reason: "CancelOverdue", Message: "a long story"},
					{Type: summary.Ready, Reason: "Deleting", Message: "it is deleted"},
				},
			}
			next.Intent = &v1beta1.Intent{OperationID: "op"}
			marked := &v1beta1.FlinkDeployment{}
			marked.DeletionTimestamp = &metav1.Time{}
			all := leaner(kindOf(marked), Effect{Plan: plan.Plan{Status: next}})
			if len(all) != 4 || all[3].Status != nil {
				t.Fatalf("%d plans, the last of which stores %+v", len(all), all[len(all)-1].Status)
			}
			all = all[:3]
			messages, conditions := 2, 2
			for i, p := range all {
				s := p.Status.(*v1beta1.FlinkDeploymentStatus)
				told := 0
				for _, c := range s.Conditions {
					if c.Message != "" {
						told++
					}
				}
				if s.ReconciliationStatus.LastReconciledSpec != runs || s.ReconciliationStatus.LastStableSpec != "" ||
					s.Intent == nil || (s.Error != "") != (i == 0) || (s.TaskManager != nil) != (i == 0) {
					t.Errorf("plan %d: %+v", i, s)
				}
				if lean := told < messages || len(s.Conditions) < conditions; lean != (i > 0) {
					t.Errorf("plan %d: %+v", i, s.Conditions)
				}
				messages, conditions = told, len(s.Conditions)
			}
			if conditions != 0 || next.Error == "" {
				t.Errorf("the last one has %d conditions; the refused status is %+v", conditions, next)
			}
		})
	}
}

// What was done before the status was refused is not done again, and what was told beside it is told once.
func TestLeanerGoesOnFromWhatFailed(t *testing.T) {
	next := &v1beta1.FlinkDeploymentStatus{}
	before, record := plan.WakeClock{}, plan.Record{Status: next, Why: "intent"}
	after := plan.Record{Status: &v1beta1.FlinkDeploymentStatus{Error: "another"}, Why: "end"}
	stop := plan.StopWithSavepoint{JobID: "job"}
	events := []plan.Event{{Reason: plan.ReasonCleanup}}
	now, large := &metav1.Time{}, []metav1.Condition{{Type: summary.Stalled, Reason: fail.ReasonTooLarge}}
	rows := map[string]struct {
		marked     *metav1.Time
		conditions []metav1.Condition
		p          plan.Plan
		failed     plan.Action
		plans      int
		actions    int
		events     int
	}{
		"no deletion": {nil, nil, plan.Plan{Status: next}, nil, 0, 0, 0},
		"no status":   {now, nil, plan.Plan{Actions: []plan.Action{before}}, nil, 0, 0, 0},
		"at the end":  {now, nil, plan.Plan{Actions: []plan.Action{before}, Status: next, Events: events}, nil, 4, 0, 0},
		"within": {
			now, nil, plan.Plan{Actions: []plan.Action{before, record, after}, Events: events}, record, 4, 2, 0,
		},
		"again": {
			now, large, plan.Plan{Actions: []plan.Action{before, record, after}, Events: events}, record, 4, 2, 1,
		},
		"a savepoint is known before it is asked for": {
			now, nil, plan.Plan{Actions: []plan.Action{before, record, stop}, Events: events}, record, 3, 2, 0,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			r := &v1beta1.FlinkDeployment{}
			r.DeletionTimestamp, r.Status.Conditions = row.marked, row.conditions
			all := leaner(kindOf(r), Effect{Plan: row.p, Action: row.failed})
			if len(all) != row.plans {
				t.Fatalf("%d plans, want %d", len(all), row.plans)
			}
			for i, p := range all {
				stores := 0 // the last of four does without
				if row.failed != nil && i < 3 {
					stores = 1
				}
				if len(p.Actions) != max(0, row.actions-1)+stores || len(p.Events) != row.events {
					t.Errorf("plan %d: %s, told %+v", i, p, p.Events)
				}
				if row.failed == nil {
					continue
				}
				if first, is := p.Actions[0].(plan.Record); stores == 1 && (!is || first.Status == any(next)) {
					t.Errorf("plan %d stores what was refused: %s", i, p)
				}
				if later := row.p.Actions[2]; p.Actions[stores] != later {
					t.Errorf("plan %d goes on with something else: %s", i, p)
				}
			}
		})
	}
}
