package deployment

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A job whose state is given up is cancelled before its cluster goes, so that Flink removes what it kept. One whose
// state is needed is not: Flink could delete that.
func TestWhichJobsAreCancelledFirst(t *testing.T) {
	in := func(state v1beta1.FlinkJobState) func(w *fixture) {
		return func(w *fixture) {
			jobs, _ := w.s.Flink.Jobs.Get()
			jobs[0].State = state
		}
	}
	runs := in(v1beta1.FlinkJobRunning)
	rows := map[string]struct {
		spec   string
		seen   func(w *fixture)
		change func(*v1beta1.FlinkDeploymentSpec)
		want   bool
	}{
		"stateless":                     {application, runs, upgradeImage, true},
		"stateless, to be suspended":    {application, runs, suspends, true},
		"stateless, does not run":       {application, in(v1beta1.FlinkJobRestarting), upgradeImage, true},
		"stateless, is being cancelled": {application, in(v1beta1.FlinkJobCancelling), upgradeImage, false},
		"stateless, nobody answers": {
			application,
			func(w *fixture) { w.s.Flink = unansweredFlink() },
			upgradeImage,
			false,
		},
		"a person chose another state": {stateful, runs, redeploy("file:///mine", 1), false},
		"goes on from its last state":  {highlyAvailable, runs, upgradeImage, false},
		"another job than that of this one": {application, func(w *fixture) {
			w.s.Flink.Jobs = plan.Present([]world.Job{{ID: takenOverJob, State: v1beta1.FlinkJobRunning}})
		}, upgradeImage, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.run()
			w.log = nil
			row.seen(w)
			w.edit(row.change)
			w.run()
			cancelled := strings.Contains(w.did(), "cancel job")
			if stops := w.status().Intent != nil; cancelled != row.want || !stops {
				t.Errorf("cancelled: %t, want %t; stops: %t; rounds %q", cancelled, row.want, stops, w.log)
			}
		})
	}
}
