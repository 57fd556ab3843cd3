package operation_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A job whose state is given up is cancelled before its cluster goes, so that Flink removes what it kept. One whose
// state is needed is not: Flink could delete that.
func TestWhichJobsAreCancelledFirst(t *testing.T) {
	in := func(state v1beta1.FlinkJobState) func(w *enginetest.Deployment) {
		return func(w *enginetest.Deployment) {
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].State = state
		}
	}
	runs := in(v1beta1.FlinkJobRunning)
	rows := map[string]struct {
		spec   string
		seen   func(w *enginetest.Deployment)
		change func(*v1beta1.FlinkDeploymentSpec)
		want   bool
	}{
		"stateless":                  {enginetest.Application, runs, enginetest.UpgradeImage, true},
		"stateless, to be suspended": {enginetest.Application, runs, enginetest.Suspends, true},
		"stateless, does not run": {
			enginetest.Application,
			in(v1beta1.FlinkJobRestarting),
			enginetest.UpgradeImage,
			true,
		},
		"stateless, is being cancelled": {
			enginetest.Application,
			in(v1beta1.FlinkJobCancelling),
			enginetest.UpgradeImage,
			false,
		},
		"stateless, nobody answers": {
			enginetest.Application,
			func(w *enginetest.Deployment) { w.Snapshot.Flink = enginetest.UnansweredFlink() },
			enginetest.UpgradeImage,
			false,
		},
		"a person chose another state": {enginetest.Stateful, runs, enginetest.Redeploy("file:///mine", 1), false},
		"goes on from its last state":  {enginetest.HighlyAvailable, runs, enginetest.UpgradeImage, false},
		"another job than that of this one": {enginetest.Application, func(w *enginetest.Deployment) {
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{{ID: enginetest.TakenOverJob, State: v1beta1.FlinkJobRunning}})
		}, enginetest.UpgradeImage, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Run()
			w.Log = nil
			row.seen(w)
			w.Edit(row.change)
			w.Run()
			cancelled := strings.Contains(w.Did(), "cancel job")
			if stops := w.Status().Intent != nil; cancelled != row.want || !stops {
				t.Errorf("cancelled: %t, want %t; stops: %t; rounds %q", cancelled, row.want, stops, w.Log)
			}
		})
	}
}
