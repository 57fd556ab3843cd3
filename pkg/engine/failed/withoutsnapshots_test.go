package failed_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A FlinkStateSnapshot that is refused for good keeps nothing else out of the status: what Flink says of the job, and
// which spec is stable. What was asked for is not handled, and what is told is told once.
func TestASnapshotThatIsRefusedDoesNotFreezeTheStatus(t *testing.T) {
	for name, row := range map[string]struct {
		effect  failed.Effect
		stalled string
	}{
		"for good":     {failed.Effect{Kind: fail.Denied, Reason: "Forbidden", Message: "exceeded quota"}, "Forbidden"},
		"for a moment": {failed.Effect{Kind: fail.Transient, Reason: "Unavailable", Message: "the webhook is away"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
				nonce := int64(7)
				s.Job.SavepointTriggerNonce = &nonce
			})
			w.Snapshot.Resource.Status.JobStatus.State = v1beta1.FlinkJobCreated // and Flink says RUNNING by now
			w.Snapshot.Resource.Status.ReconciliationStatus.LastStableSpec = ""
			w.Look()
			for _, a := range deployment.Make(w.Snapshot).Actions {
				if _, is := a.(plan.CreateSnapshot); is {
					row.effect.Action = a
				}
			}
			for again := range 2 {
				p := deployment.Failed(w.Snapshot, row.effect).Plans[0]
				status, stores := p.Status.(*v1beta1.FlinkDeploymentStatus)
				if again == 1 {
					if stores || len(p.Events) > 0 {
						t.Errorf("it is told again: %+v, stores %t", p.Events, stores)
					}
					return
				}
				if !stores || status.JobStatus.State != v1beta1.FlinkJobRunning ||
					status.ReconciliationStatus.LastStableSpec == "" {
					t.Fatalf("stored %t: %+v", stores, status)
				}
				if strings.Contains(status.ReconciliationStatus.LastReconciledSpec, `"savepointTriggerNonce":7`) {
					t.Error("the savepoint that was refused counts as taken")
				}
				w.Store(status)
				if c := w.Condition(summary.Stalled); c.Reason != row.stalled {
					t.Errorf("stalled as %q, want %q", c.Reason, row.stalled)
				}
			}
		})
	}
}
