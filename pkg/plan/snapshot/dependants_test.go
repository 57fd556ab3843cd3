package snapshot

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestASnapshotWakesAJobThatWaitsForIt(t *testing.T) {
	complete := v1beta1.FlinkStateSnapshotStatus{State: v1beta1.SnapshotCompleted}
	ends := plan.Plan{Status: &complete}
	leaves := plan.Plan{Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkStateSnapshot}}}
	rows := map[string]struct {
		deleting bool
		before   v1beta1.SnapshotState
		plan     plan.Plan
		want     bool
		reason   string
	}{
		"it completes": {true, v1beta1.SnapshotInProgress, ends, true, "the deletion goes on"},
		"it goes":      {true, v1beta1.SnapshotCompleted, leaves, true, "the deletion goes on"},
		"it completes, nobody waits": {
			false, v1beta1.SnapshotInProgress, ends, false, "a running job goes on beside its snapshots",
		},
		"it was complete":    {true, v1beta1.SnapshotCompleted, ends, false, "that was told before"},
		"nothing is written": {true, v1beta1.SnapshotInProgress, plan.Plan{}, false, "nothing changed"},
		"it is tried again": {
			true, v1beta1.SnapshotInProgress,
			plan.Plan{Status: &v1beta1.FlinkStateSnapshotStatus{State: v1beta1.SnapshotTriggerPending}}, false,
			"it is not finished",
		},
		"it goes, and the job is not deleted": {false, v1beta1.SnapshotCompleted, leaves, false, "nobody waits"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, savepoint()).runJob()
			w.s.Resource.Status.State = row.before
			if row.deleting {
				w.job(func(d *v1beta1.FlinkDeployment) { d.DeletionTimestamp = &metav1.Time{Time: start} })
			}
			got := Dependants(w.s, row.plan)
			if (len(got) == 1 && got[0] == plan.Dependant{Kind: v1beta1.KindFlinkDeployment, Name: "demo"}) != row.want ||
				len(got) > 1 {
				t.Errorf("wakes %v, %s", got, row.reason)
			}
		})
	}
}
