package deployment

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestChangeIsAsDrawn(t *testing.T) {
	rests := func(spec string) func(t *testing.T) *fixture {
		return func(t *testing.T) *fixture { return suspended(t, spec) }
	}
	runs := func(spec string) func(t *testing.T) *fixture {
		return func(t *testing.T) *fixture { return stable(t, spec) }
	}
	resumes := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning }
	chooses := redeploy("file:///chosen", 1)
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		from func(t *testing.T) *fixture
		edit func(*v1beta1.FlinkDeploymentSpec)
	}{
		"suspend": {"C1", runs(application), suspends},
		"suspend and upgrade": {"C1", runs(application), func(s *v1beta1.FlinkDeploymentSpec) {
			suspends(s)
			upgradeImage(s)
		}},
		"choose a state":     {"C2", runs(stateful), chooses},
		"upgrade":            {"C3", runs(application), upgradeImage},
		"upgrade, savepoint": {"C3", runs(stateful), upgradeImage},
		"resume from a choice": {"C4", rests(highlyAvailable), func(s *v1beta1.FlinkDeploymentSpec) {
			resumes(s)
			chooses(s)
		}},
		"resume": {"C5", rests(highlyAvailable), resumes},
		"resume and upgrade": {"C5", rests(highlyAvailable), func(s *v1beta1.FlinkDeploymentSpec) {
			resumes(s)
			upgradeImage(s)
		}},
		"another mode of upgrade": {"C6", runs(application), func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.AllowNonRestoredState = new(bool)
		}},
		"upgrade while it rests": {"C6", rests(highlyAvailable), func(s *v1beta1.FlinkDeploymentSpec) {
			n := int64(3)
			s.Job.SavepointTriggerNonce = &n
		}},
	}
	drawn := drawing.Read(t, "../../engine/decide/change.go", "Change")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := row.from(t)
			w.edit(row.edit)
			w.run()
			begins := "-"
			if i := w.status().Intent; i != nil && i.Generation == w.s.Resource.Generation {
				begins = string(i.Purpose)
			}
			if err := drawn.Holds(row.row, drawing.Row{"begins": begins}); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
			}
			deployed := w.status().ObservedGeneration
			if d := w.status().DeployedGeneration; d != nil {
				deployed = *d
			}
			if begins == "-" && deployed != w.s.Resource.Generation {
				t.Errorf("generation %d is deployed, want %d", deployed, w.s.Resource.Generation)
			}
		})
	}
	if err := drawn.Shown("Change", shown...); err != nil {
		t.Error(err)
	}
}

func TestDeletingIsAsDrawn(t *testing.T) {
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		spec string
		then func(w *fixture)
	}{
		"held by somebody else": {"D1", application, func(w *fixture) {
			w.s.Resource.Finalizers = []string{"example.com/mine"}
		}},
		"its Deployment unknown": {"D2", application, func(w *fixture) {
			w.s.JobManager = plan.Unknown[*appsv1.Deployment]("time-out")
		}},
		"a session with jobs": {"D3", session, func(w *fixture) {
			w.s.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl"}})
		}},
		"saves first":            {"D4", savesFirst, func(*fixture) {}},
		"runs":                   {"D5", application, func(*fixture) {}},
		"is being taken down":    {"D6", application, func(w *fixture) { w.run() }},
		"lost":                   {"D7", application, (*fixture).lose},
		"a session without jobs": {"D5", session, func(w *fixture) { w.s.Flink.Jobs = plan.Present([]world.Job{}) }},
		"somebody else's Deployment": {"D7", application, func(w *fixture) {
			jm, _ := w.s.JobManager.Get()
			jm = jm.DeepCopy()
			jm.OwnerReferences = nil
			w.s.JobManager = plan.Present(jm)
		}},
	}
	drawn := drawing.Read(t, "delete.go", "deleting")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.delete()
			row.then(w)
			w.run()
			answer := drawing.Row{"finalizer": "stays", "stop": "-"}
			if i := w.status().Intent; i != nil && i.Purpose == v1beta1.PurposeDelete {
				answer["stop"] = string(i.Stop)
			}
			switch held := slices.Contains(w.s.Resource.Finalizers, v1beta1.FinalizerFlinkDeployment); {
			case !held && w.gone:
				answer["finalizer"] = "goes"
			case !held:
				delete(answer, "finalizer")
			}
			if err := drawn.Holds(row.row, answer); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
			}
		})
	}
	if err := drawn.Shown("deleting", shown...); err != nil {
		t.Error(err)
	}
}
