package deployment

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestAnUntrustedJobManagerIsNoLoss(t *testing.T) {
	for name, spec := range map[string]string{
		"application": stateful, "with high availability": highlyAvailable, "stateless": application,
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, spec)
			answers := w.s.Flink
			w.s.Flink = world.Flink{
				Jobs: plan.Unknown[[]world.Job]("its certificate is not trusted: put the CA there"), Distrusted: true,
			}
			for range 3 {
				if p := w.round(); touches(p) {
					t.Fatalf("nothing is known of the job, and %s", p)
				}
			}
			w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling)
			stalled := ""
			for _, c := range w.status().Conditions {
				if c.Type == "Stalled" {
					stalled = string(c.Status) + " " + c.Reason + " " + c.Message
				}
			}
			if !strings.HasPrefix(stalled, "True TLSFailed") || !strings.Contains(stalled, "put the CA there") ||
				w.told("TLSFailed") != 1 || w.status().Pace != v1beta1.PaceSlow {
				t.Errorf("Stalled %q, told %d times, pace %s", stalled, w.told("TLSFailed"), w.status().Pace)
			}
			w.s.Flink = answers
			w.round()
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
		})
	}
}
