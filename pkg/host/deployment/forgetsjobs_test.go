package deployment_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// A session cluster whose jobs are kept in another place from now on finds there what an earlier configuration kept:
// its start removes that first. An application goes on with its own job.
func TestWhichStartsForgetEarlierJobs(t *testing.T) {
	available := enginetest.With(
		enginetest.Session,
		`"serviceAccount":"flink",`,
		`"serviceAccount":"flink","flinkConfiguration":`+
			`{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"},`,
	)
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
		"another image":                 {available, enginetest.UpgradeImage, false},
		"another image, nothing kept":   {enginetest.Session, enginetest.UpgradeImage, false},
		"high availability":             {enginetest.Session, on, true},
		"a Flink that keeps it apart":   {available, func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion = "v2_0" }, true},
		"an application's availability": {enginetest.Application, on, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, c.spec)
			w.Run()
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Run()
			w.Edit(c.edit)
			w.Run()
			w.Terminate()
			forgets := false
			for range 10 {
				p := w.Round()
				intent := w.Status().Intent
				forgets = forgets || intent != nil && intent.ForgetsJobs
				if p.Requeue != plan.RequeueNow {
					break
				}
			}
			if forgets != c.want {
				t.Errorf("it forgets jobs: %t, want %t; rounds %q", forgets, c.want, w.Log)
			}
		})
	}
}

// A start that had to forget earlier jobs, and could not yet, leaves that to the one that a newer spec puts in its
// place.
func TestANewerSpecForgetsEarlierJobs(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Session)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"}`,
		)
	})
	w.Run()
	w.Terminate()
	w.Snapshot.HAData = plan.Unknown[[]hadata.ConfigMap]("forbidden")
	w.Run()
	first := w.Status().Intent
	if first == nil || first.Step != v1beta1.StepStarting || w.Snapshot.JobManager.IsPresent() {
		t.Fatalf("it starts before it could look: %+v, rounds %q", first, w.Log)
	}
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	if next := w.Status().Intent; next == nil || next.OperationID == first.OperationID ||
		w.Snapshot.JobManager.IsPresent() {
		t.Fatalf("the newer one starts before it could look: %+v, rounds %q", next, w.Log)
	}
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{{Graphs: []string{enginetest.TakenOverJob}}})
	w.Run()
	if told := w.Told(string(plan.ReasonJobsForgotten)); told != 1 || !w.Released {
		t.Errorf("told %d times of what it forgets, released: %t, rounds %q", told, w.Released, w.Log)
	}
}
