package decide

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A JobManager that is ready and lists no job either has not submitted it yet, or has lost it.
func TestWhatAReadyJobManagerIsWaitedFor(t *testing.T) {
	rows := map[string]struct {
		listed bool
		start  string
		want   plan.Reason
	}{
		"it never ran":         {false, "", plan.ReasonJobNotRunning},
		"it ran":               {false, "1700000000000", plan.ReasonJobNotListed},
		"it is listed":         {true, "1700000000000", plan.ReasonJobNotRunning},
		"it is, and never ran": {true, "", plan.ReasonJobNotRunning},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Status.JobManagerDeploymentStatus = v1beta1.JobManagerReady
				s.Resource.Status.JobStatus.StartTime = row.start
			})
			if row.listed {
				v.Job = &world.Job{State: v1beta1.FlinkJobInitializing}
			}
			if got := waitsFor(v, nil).Reason; got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}
