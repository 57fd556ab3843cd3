package deployment

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestAfterIsAsDrawn(t *testing.T) {
	rests := func(w *fixture) {
		w.edit(suspends)
		w.run()
		w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
		w.round()
	}
	ends := func(state v1beta1.FlinkJobState) func(w *fixture) {
		return func(w *fixture) { w.serveJob(state); w.run() }
	}
	scaled := func(w *fixture) {
		jm, _ := w.s.JobManager.Get()
		jm = jm.DeepCopy()
		one := int32(1)
		jm.Spec.Replicas = &one
		w.s.JobManager = plan.Present(jm)
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row   string
		spec  string
		from  func(t *testing.T, spec string) *fixture
		then  func(w *fixture)
		after time.Duration
	}{
		"prepared late": {"A1", highlyAvailable, suspended, func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.round()
			jm := w.s.JobManager
			w.edit(suspends)
			w.run()
			w.terminate()
			w.run()
			w.s.JobManager = jm // by a pass that was slow
		}, 0},
		"began again": {"A2", given(highlyAvailable), stable, func(w *fixture) {
			w.fails()
			w.serveJob(v1beta1.FlinkJobRunning)
			startedAgain(w)
		}, 5 * time.Second},
		"suspended, scaled up":        {"A3", stateful, stable, func(w *fixture) { rests(w); scaled(w) }, 0},
		"suspended":                   {"A3", stateful, stable, rests, 0},
		"suspended, highly available": {"A3", savesHighlyAvailable, stable, rests, 0},
		"suspended, standalone":       {"A3", standalone(stateful), stable, rests, 0},
		"began again, standalone": {"A4", standalone(given(highlyAvailable)), stable, func(w *fixture) {
			w.fails()
			w.serveJob(v1beta1.FlinkJobRunning)
			startedAgain(w)
			w.s.Now = w.s.Now.Add(5 * time.Second)
			w.round()
		}, time.Second},
		"failed, nobody could look": {"A5", ttl(stateful), stable, func(w *fixture) {
			w.fails()
			w.s.Flink = unansweredFlink()
		}, time.Hour},
		"failed long ago":             {"A6", ttl(stateful), stable, ends(v1beta1.FlinkJobFailed), time.Hour},
		"finished long ago":           {"A6", ttl(stateful), stable, ends(v1beta1.FlinkJobFinished), time.Hour},
		"suspended and kept long ago": {"A6", keptSuspended(ttl(savesHighlyAvailable)), stable, rests, time.Hour},
		"suspended and kept":          {"A7", keptSuspended(ttl(savesHighlyAvailable)), stable, rests, time.Minute},
		"finished":                    {"A7", ttl(stateful), stable, ends(v1beta1.FlinkJobFinished), time.Minute},
		"runs":                        {"A7", stateful, stable, func(*fixture) {}, time.Minute},
	}
	drawn := drawing.Read(t, "../cluster/upkeep/after.go", "After")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := row.from(t, row.spec)
			row.then(w)
			w.s.Now = w.s.Now.Add(row.after)
			before, _ := w.s.JobManager.Get()
			rules := w.rules()
			answer := drawing.Row{"the Deployment": "stays"}
			switch jm, there := w.s.JobManager.Get(); {
			case !there || jm.DeletionTimestamp != nil:
				answer["the Deployment"] = "goes"
			case *jm.Spec.Replicas == 0 && *before.Spec.Replicas > 0:
				answer["the Deployment"] = "rests"
			}
			if err := drawn.Holds(row.row, answer); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
			}
			if rules["after"] != (answer["the Deployment"] != "stays") {
				t.Errorf("the rules %v decided", rules)
			}
		})
	}
	if err := drawn.Shown("After", shown...); err != nil {
		t.Error(err)
	}
}

// rules makes rounds until none follows soon, and says which rules decided.
func (w *fixture) rules() map[string]bool {
	w.t.Helper()
	decided := map[string]bool{}
	for range 10 {
		p := w.round()
		decided[p.Rule] = true
		if p.Requeue == "" {
			break
		}
	}
	return decided
}
