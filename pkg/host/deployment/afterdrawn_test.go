package deployment_test

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestAfterIsAsDrawn(t *testing.T) {
	rests := func(w *enginetest.Deployment) {
		w.Edit(enginetest.Suspends)
		w.Run()
		w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
		w.Round()
	}
	ends := func(state v1beta1.FlinkJobState) func(w *enginetest.Deployment) {
		return func(w *enginetest.Deployment) { w.ServeJob(state); w.Run() }
	}
	scaled := func(w *enginetest.Deployment) {
		jm, _ := w.Snapshot.JobManager.Get()
		jm = jm.DeepCopy()
		one := int32(1)
		jm.Spec.Replicas = &one
		w.Snapshot.JobManager = plan.Present(jm)
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row   string
		spec  string
		from  func(t *testing.T, spec string) *enginetest.Deployment
		then  func(w *enginetest.Deployment)
		after time.Duration
	}{
		"prepared late": {"A1", enginetest.HighlyAvailable, enginetest.Suspended, func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.Round()
			jm := w.Snapshot.JobManager
			w.Edit(enginetest.Suspends)
			w.Run()
			w.Terminate()
			w.Run()
			w.Snapshot.JobManager = jm // by a pass that was slow
		}, 0},
		"began again": {
			"A2",
			enginetest.Given(enginetest.HighlyAvailable),
			enginetest.Stable,
			func(w *enginetest.Deployment) {
				w.Fails()
				w.ServeJob(v1beta1.FlinkJobRunning)
				enginetest.StartedAgain(w)
			},
			5 * time.Second,
		},
		"suspended, scaled up": {
			"A3",
			enginetest.Stateful,
			enginetest.Stable,
			func(w *enginetest.Deployment) { rests(w); scaled(w) },
			0,
		},
		"suspended":                   {"A3", enginetest.Stateful, enginetest.Stable, rests, 0},
		"suspended, highly available": {"A3", enginetest.SavesHighlyAvailable, enginetest.Stable, rests, 0},
		"suspended, standalone":       {"A3", enginetest.Standalone(enginetest.Stateful), enginetest.Stable, rests, 0},
		"began again, standalone": {
			"A4",
			enginetest.Standalone(enginetest.Given(enginetest.HighlyAvailable)),
			enginetest.Stable,
			func(w *enginetest.Deployment) {
				w.Fails()
				w.ServeJob(v1beta1.FlinkJobRunning)
				enginetest.StartedAgain(w)
				w.Snapshot.Now = w.Snapshot.Now.Add(5 * time.Second)
				w.Round()
			},
			time.Second,
		},
		"failed, nobody could look": {
			"A5",
			enginetest.Ttl(enginetest.Stateful),
			enginetest.Stable,
			func(w *enginetest.Deployment) {
				w.Fails()
				w.Snapshot.Flink = enginetest.UnansweredFlink()
			},
			time.Hour,
		},
		"failed long ago": {
			"A6",
			enginetest.Ttl(enginetest.Stateful),
			enginetest.Stable,
			ends(v1beta1.FlinkJobFailed),
			time.Hour,
		},
		"finished long ago": {
			"A6",
			enginetest.Ttl(enginetest.Stateful),
			enginetest.Stable,
			ends(v1beta1.FlinkJobFinished),
			time.Hour,
		},
		"suspended and kept long ago": {
			"A6",
			enginetest.KeptSuspended(enginetest.Ttl(enginetest.SavesHighlyAvailable)),
			enginetest.Stable,
			rests,
			time.Hour,
		},
		"suspended and kept": {
			"A7",
			enginetest.KeptSuspended(enginetest.Ttl(enginetest.SavesHighlyAvailable)),
			enginetest.Stable,
			rests,
			time.Minute,
		},
		"finished": {
			"A7",
			enginetest.Ttl(enginetest.Stateful),
			enginetest.Stable,
			ends(v1beta1.FlinkJobFinished),
			time.Minute,
		},
		"runs": {
			"A7",
			enginetest.Stateful,
			enginetest.Stable,
			func(*enginetest.Deployment) {},
			time.Minute,
		},
	}
	drawn := drawing.Read(t, "../cluster/upkeep/after.go", "After")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := row.from(t, row.spec)
			row.then(w)
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			before, _ := w.Snapshot.JobManager.Get()
			rules := w.Rules()
			answer := drawing.Row{"the Deployment": "stays"}
			switch jm, there := w.Snapshot.JobManager.Get(); {
			case !there || jm.DeletionTimestamp != nil:
				answer["the Deployment"] = "goes"
			case *jm.Spec.Replicas == 0 && *before.Spec.Replicas > 0:
				answer["the Deployment"] = "rests"
			}
			if err := drawn.Holds(row.row, answer); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
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
