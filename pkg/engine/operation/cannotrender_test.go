package operation_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A spec of which no objects can be made is refused, also where admission did not judge it. What runs stays, until a
// spec that can be carried out takes its place.
func TestASpecThatCannotBeRenderedStopsNothing(t *testing.T) {
	for name, spec := range map[string]string{
		"stateless":      enginetest.Application,
		"by a savepoint": enginetest.Stateful,
		"by last state": enginetest.With(enginetest.HighlyAvailable, `"upgradeMode":"savepoint"`,
			`"upgradeMode":"last-state"`),
		"standalone": enginetest.Standalone(enginetest.Stateful),
		"a session":  enginetest.Session,
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, spec)
			job := w.Status().JobStatus
			w.Snapshot.HAData = enginetest.HaMaps(job.JobID)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.ImagePullPolicy = "Foo" })
			for range 3 {
				if p := w.Run(); enginetest.Touches(p) || w.Status().Intent != nil {
					t.Fatalf("it does %s, intent %+v", p, w.Status().Intent)
				}
			}
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, job.State)
			if c := w.Condition("Stalled"); c.Status != "True" || c.Reason != string(plan.ReasonValidationFailed) {
				t.Errorf("Stalled %+v", c)
			}
			if c := w.Condition("SpecAccepted"); c.Status != "False" || !strings.Contains(c.Message, `"Foo" is unknown`) {
				t.Errorf("SpecAccepted %+v", c)
			}
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.ImagePullPolicy = "Always" })
			w.Round()
			if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade {
				t.Errorf("intent %+v, rounds %q", i, w.Log)
			}
		})
	}
}
