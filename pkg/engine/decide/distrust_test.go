package decide_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestAnUntrustedJobManagerIsNoLoss(t *testing.T) {
	for name, spec := range map[string]string{
		"application": enginetest.Stateful, "with high availability": enginetest.HighlyAvailable,
		"stateless": enginetest.Application,
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, spec)
			answers := w.Snapshot.Flink
			w.Snapshot.Flink = world.Flink{
				Jobs: plan.Unknown[[]world.Job]("its certificate is not trusted: put the CA there"), Distrusted: true,
			}
			for range 3 {
				if p := w.Round(); enginetest.Touches(p) {
					t.Fatalf("nothing is known of the job, and %s", p)
				}
			}
			w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling)
			stalled := ""
			for _, c := range w.Status().Conditions {
				if c.Type == "Stalled" {
					stalled = string(c.Status) + " " + c.Reason + " " + c.Message
				}
			}
			if !strings.HasPrefix(stalled, "True TLSFailed") || !strings.Contains(stalled, "put the CA there") ||
				w.Told("TLSFailed") != 1 || w.Status().Pace != v1beta1.PaceSlow {
				t.Errorf("Stalled %q, told %d times, pace %s", stalled, w.Told("TLSFailed"), w.Status().Pace)
			}
			w.Snapshot.Flink = answers
			w.Round()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
		})
	}
}
