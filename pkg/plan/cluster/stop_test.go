package cluster

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// A job whose state is given up is cancelled before its cluster goes. One whose state is needed is not: Flink would
// delete that with the job.
func TestWhichJobsAreCancelledFirst(t *testing.T) {
	rows := map[string]struct {
		stop    v1beta1.StopKind
		purpose v1beta1.IntentPurpose
		state   v1beta1.FlinkJobState
		want    bool
	}{
		"its state is given up":          {v1beta1.StopStateless, v1beta1.PurposeUpgrade, v1beta1.FlinkJobRunning, true},
		"a deletion":                     {"", v1beta1.PurposeDelete, v1beta1.FlinkJobRunning, true},
		"its last state is needed":       {v1beta1.StopLastState, v1beta1.PurposeUpgrade, v1beta1.FlinkJobRunning, false},
		"its savepoint is":               {v1beta1.StopSavepoint, v1beta1.PurposeUpgrade, v1beta1.FlinkJobRunning, false},
		"nothing was to be stopped":      {v1beta1.StopNone, v1beta1.PurposeUpgrade, v1beta1.FlinkJobRunning, false},
		"a person named another state":   {v1beta1.StopStateless, v1beta1.PurposeRedeploy, v1beta1.FlinkJobRunning, false},
		"it has ended":                   {v1beta1.StopStateless, v1beta1.PurposeUpgrade, v1beta1.FlinkJobFinished, false},
		"its cancellation is on its way": {v1beta1.StopStateless, v1beta1.PurposeUpgrade, v1beta1.FlinkJobCancelling, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := application(func(s *Snapshot) {
				s.Resource.Status.JobStatus.JobID = jobX
				s.Resource.Status.Intent = &v1beta1.Intent{
					Step: v1beta1.StepStopping, Stop: row.stop, Purpose: row.purpose,
				}
				s.Flink.Jobs = plan.Present([]job.Job{{ID: jobX, State: row.state}})
			})
			if got := len(stopper(v).TakeDown()) > 0; got != row.want {
				t.Errorf("cancelled: %t, want %t", got, row.want)
			}
		})
	}
}
