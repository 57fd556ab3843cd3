package deployment

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// A session cluster whose jobs are kept in another place from now on finds there what an earlier configuration kept:
// its start removes that first. An application goes on with its own job.
func TestWhichStartsForgetEarlierJobs(t *testing.T) {
	available := with(session, `"serviceAccount":"flink",`, `"serviceAccount":"flink","flinkConfiguration":`+
		`{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"},`)
	on := func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"}`,
		)
	}
	for name, c := range map[string]struct {
		spec string
		edit func(*v1beta1.FlinkDeploymentSpec)
		want bool
	}{
		"another image":                 {available, upgradeImage, false},
		"another image, nothing kept":   {session, upgradeImage, false},
		"high availability":             {session, on, true},
		"a Flink that keeps it apart":   {available, func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion = "v2_0" }, true},
		"an application's availability": {application, on, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.spec)
			w.run()
			w.serveJob(v1beta1.FlinkJobRunning)
			w.run()
			w.edit(c.edit)
			w.run()
			w.terminate()
			forgets := false
			for range 10 {
				p := w.round()
				intent := w.status().Intent
				forgets = forgets || intent != nil && intent.ForgetsJobs
				if p.Requeue != plan.RequeueNow {
					break
				}
			}
			if forgets != c.want {
				t.Errorf("it forgets jobs: %t, want %t; rounds %q", forgets, c.want, w.log)
			}
		})
	}
}

// A start that had to forget earlier jobs, and could not yet, leaves that to the one that a newer spec puts in its
// place.
func TestANewerSpecForgetsEarlierJobs(t *testing.T) {
	w := stable(t, session)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"}`,
		)
	})
	w.run()
	w.terminate()
	w.s.HAData = plan.Unknown[[]hadata.ConfigMap]("forbidden")
	w.run()
	first := w.status().Intent
	if first == nil || first.Step != v1beta1.StepStarting || w.s.JobManager.IsPresent() {
		t.Fatalf("it starts before it could look: %+v, rounds %q", first, w.log)
	}
	w.edit(upgradeImage)
	w.run()
	if next := w.status().Intent; next == nil || next.OperationID == first.OperationID || w.s.JobManager.IsPresent() {
		t.Fatalf("the newer one starts before it could look: %+v, rounds %q", next, w.log)
	}
	w.s.HAData = plan.Present([]hadata.ConfigMap{{Graphs: []string{takenOverJob}}})
	w.run()
	if told := w.told(string(plan.ReasonJobsForgotten)); told != 1 || !w.released {
		t.Errorf("told %d times of what it forgets, released: %t, rounds %q", told, w.released, w.log)
	}
}
