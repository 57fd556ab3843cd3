package tell_test

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Each spec that was judged is observed, as of a FlinkDeployment.
func TestEachSpecThatWasJudgedIsObservedOfASessionJob(t *testing.T) {
	lost := func(w *enginetest.SessionJob) {
		w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFinished)
		w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{}) // it lies where nothing is restored from
		w.Sleep(time.Minute)
		w.Run()
	}
	steady := func(*enginetest.SessionJob) {}
	edits := func(parallelism int32) func(*v1beta1.FlinkSessionJobSpec) {
		return func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = parallelism }
	}
	rows := map[string]struct {
		before    func(w *enginetest.SessionJob)
		edit      func(*v1beta1.FlinkSessionJobSpec)
		situation plan.Situation
		deployed  int64
		reason    string
	}{
		"invalid": {steady, edits(0), plan.Steady, 1, "the one before runs"},
		"refused": {lost, edits(4), plan.Refused, 1, "nothing was deployed for it"},
		"on its way": {
			func(w *enginetest.SessionJob) { w.Taking, w.Saves = true, false },
			edits(4),
			plan.Stopping,
			1,
			"the old job is being stopped",
		},
		"the same": {steady, func(*v1beta1.FlinkSessionJobSpec) {}, plan.Steady, 2, "what runs is what it asks for"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.UntilSteady()
			row.before(w)
			w.Edit(row.edit)
			w.Run()
			status := w.Status()
			deployed := status.ObservedGeneration // when the status names no other
			if status.DeployedGeneration != nil {
				deployed = *status.DeployedGeneration
			}
			if status.Situation != string(row.situation) || status.ObservedGeneration != 2 || deployed != row.deployed {
				t.Errorf("%s, observed %d, deployed %d, want %s, 2, %d: %s; %+v", status.Situation,
					status.ObservedGeneration, deployed, row.situation, row.deployed, row.reason, status.Conditions)
			}
		})
	}
}
