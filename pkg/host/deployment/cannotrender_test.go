package deployment

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A spec of which no objects can be made is refused, also where admission did not judge it. What runs stays, until a
// spec that can be carried out takes its place.
func TestASpecThatCannotBeRenderedStopsNothing(t *testing.T) {
	for name, spec := range map[string]string{
		"stateless":      application,
		"by a savepoint": stateful,
		"by last state":  with(highlyAvailable, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
		"standalone":     standalone(stateful),
		"a session":      session,
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, spec)
			job := w.status().JobStatus
			w.s.HAData = haMaps(job.JobID)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.ImagePullPolicy = "Foo" })
			for range 3 {
				if p := w.run(); touches(p) || w.status().Intent != nil {
					t.Fatalf("it does %s, intent %+v", p, w.status().Intent)
				}
			}
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, job.State)
			if c := w.condition("Stalled"); c.Status != "True" || c.Reason != string(plan.ReasonValidationFailed) {
				t.Errorf("Stalled %+v", c)
			}
			if c := w.condition("SpecAccepted"); c.Status != "False" || !strings.Contains(c.Message, `"Foo" is unknown`) {
				t.Errorf("SpecAccepted %+v", c)
			}
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.ImagePullPolicy = "Always" })
			w.round()
			if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade {
				t.Errorf("intent %+v, rounds %q", i, w.log)
			}
		})
	}
}
