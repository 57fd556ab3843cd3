package decide_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestChangeIsAsDrawn(t *testing.T) {
	rests := func(spec string) func(t *testing.T) *enginetest.Deployment {
		return func(t *testing.T) *enginetest.Deployment { return enginetest.Suspended(t, spec) }
	}
	runs := func(spec string) func(t *testing.T) *enginetest.Deployment {
		return func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, spec) }
	}
	resumes := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning }
	chooses := enginetest.Redeploy("file:///chosen", 1)
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		from func(t *testing.T) *enginetest.Deployment
		edit func(*v1beta1.FlinkDeploymentSpec)
	}{
		"suspend": {"C1", runs(enginetest.Application), enginetest.Suspends},
		"suspend and upgrade": {"C1", runs(enginetest.Application), func(s *v1beta1.FlinkDeploymentSpec) {
			enginetest.Suspends(s)
			enginetest.UpgradeImage(s)
		}},
		"choose a state":     {"C2", runs(enginetest.Stateful), chooses},
		"upgrade":            {"C3", runs(enginetest.Application), enginetest.UpgradeImage},
		"upgrade, savepoint": {"C3", runs(enginetest.Stateful), enginetest.UpgradeImage},
		"resume from a choice": {"C4", rests(enginetest.HighlyAvailable), func(s *v1beta1.FlinkDeploymentSpec) {
			resumes(s)
			chooses(s)
		}},
		"resume": {"C5", rests(enginetest.HighlyAvailable), resumes},
		"resume and upgrade": {"C5", rests(enginetest.HighlyAvailable), func(s *v1beta1.FlinkDeploymentSpec) {
			resumes(s)
			enginetest.UpgradeImage(s)
		}},
		"another mode of upgrade": {"C6", runs(enginetest.Application), func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.AllowNonRestoredState = new(bool)
		}},
		"upgrade while it rests": {"C6", rests(enginetest.HighlyAvailable), func(s *v1beta1.FlinkDeploymentSpec) {
			n := int64(3)
			s.Job.SavepointTriggerNonce = &n
		}},
	}
	drawn := drawing.Read(t, "change.go", "Change")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := row.from(t)
			w.Edit(row.edit)
			w.Run()
			begins := "-"
			if i := w.Status().Intent; i != nil && i.Generation == w.Snapshot.Resource.Generation {
				begins = string(i.Purpose)
			}
			if err := drawn.Holds(row.row, drawing.Row{"begins": begins}); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
			}
			deployed := w.Status().ObservedGeneration
			if d := w.Status().DeployedGeneration; d != nil {
				deployed = *d
			}
			if begins == "-" && deployed != w.Snapshot.Resource.Generation {
				t.Errorf("generation %d is deployed, want %d", deployed, w.Snapshot.Resource.Generation)
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
		then func(w *enginetest.Deployment)
	}{
		"held by somebody else": {"D1", enginetest.Application, func(w *enginetest.Deployment) {
			w.Snapshot.Resource.Finalizers = []string{"example.com/mine"}
		}},
		"its Deployment unknown": {"D2", enginetest.Application, func(w *enginetest.Deployment) {
			w.Snapshot.JobManager = plan.Unknown[*appsv1.Deployment]("time-out")
		}},
		"a session with jobs": {"D3", enginetest.Session, func(w *enginetest.Deployment) {
			w.Snapshot.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl"}})
		}},
		"saves first":         {"D4", enginetest.SavesFirst, func(*enginetest.Deployment) {}},
		"runs":                {"D5", enginetest.Application, func(*enginetest.Deployment) {}},
		"is being taken down": {"D6", enginetest.Application, func(w *enginetest.Deployment) { w.Run() }},
		"lost":                {"D7", enginetest.Application, (*enginetest.Deployment).Lose},
		"a session without jobs": {
			"D5",
			enginetest.Session,
			func(w *enginetest.Deployment) { w.Snapshot.Flink.Jobs = plan.Present([]world.Job{}) },
		},
		"somebody else's Deployment": {"D7", enginetest.Application, func(w *enginetest.Deployment) {
			jm, _ := w.Snapshot.JobManager.Get()
			jm = jm.DeepCopy()
			jm.OwnerReferences = nil
			w.Snapshot.JobManager = plan.Present(jm)
		}},
	}
	drawn := drawing.Read(t, "../../host/deployment/delete.go", "deleting")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.Delete()
			row.then(w)
			w.Run()
			answer := drawing.Row{"finalizer": "stays", "stop": "-"}
			if i := w.Status().Intent; i != nil && i.Purpose == v1beta1.PurposeDelete {
				answer["stop"] = string(i.Stop)
			}
			switch held := slices.Contains(w.Snapshot.Resource.Finalizers, v1beta1.FinalizerFlinkDeployment); {
			case !held && w.Gone:
				answer["finalizer"] = "goes"
			case !held:
				delete(answer, "finalizer")
			}
			if err := drawn.Holds(row.row, answer); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
			}
		})
	}
	if err := drawn.Shown("deleting", shown...); err != nil {
		t.Error(err)
	}
}
