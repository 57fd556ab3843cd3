package decide_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// misreads is a job that runs, whose spec has gone past admission with a value that cannot be read.
func misreads(t *testing.T, o conf.Option) *enginetest.Deployment {
	t.Helper()
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			strings.Replace(s.FlinkConfiguration.String(), "{", `{"`+o.Key+`":"'a week",`, 1),
		)
	})
	return w
}

// decisive are options that decide what becomes of a job that is lost, has failed or has ended.
var decisive = []string{
	key.JMDeploymentRecoveryEnabled.Key, key.JobRestartFailed.Key, key.JMDeploymentShutdownTTL.Key,
	key.SavepointCleanupEnabled.Key, key.HealthCheckEnabled.Key, key.DeploymentRollbackEnabled.Key,
	key.AutoscalerEnabled.Key,
}

// didSince is what the rounds after a number of them did, but for waking the clock.
func didSince(w *enginetest.Deployment, rounds int) string {
	var did []string
	for _, round := range w.Log[rounds:] {
		if _, actions, acts := strings.Cut(round, ": "); acts && actions != "wake the clock" {
			did = append(did, round)
		}
	}
	return strings.Join(did, "; ")
}

// While an option cannot be read nothing is done by its default, whatever becomes of the job, and the condition has the
// key. The job goes on; a spec that can be read counts at once.
func TestAnOptionThatCannotBeReadHoldsEverythingBack(t *testing.T) {
	for _, o := range key.All() {
		if o.Scope != conf.ScopeResource || o.Kind == conf.KindString || o.Key == key.ArtifactsHTTPHeader.Key {
			continue
		}
		for happens, then := range map[string]func(w *enginetest.Deployment){
			"nothing":                func(*enginetest.Deployment) {},
			"its JobManager is lost": func(w *enginetest.Deployment) { w.Lose() },
			"it fails":               func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobFailed) },
			"it fails and a day goes by": func(w *enginetest.Deployment) {
				w.ServeJob(v1beta1.FlinkJobFailed)
				w.Run()
				w.Snapshot.Now = w.Snapshot.Now.Add(25 * time.Hour)
			},
			"it finishes, and a day later": func(w *enginetest.Deployment) {
				w.ServeJob(v1beta1.FlinkJobFinished)
				w.Run()
				w.Snapshot.Now = w.Snapshot.Now.Add(25 * time.Hour)
			},
		} {
			if happens != "nothing" && !slices.Contains(decisive, o.Key) {
				continue
			}
			w := misreads(t, o)
			then(w)
			before := len(w.Log)
			w.Run()
			if did := didSince(w, before); did != "" {
				t.Errorf("%s cannot be read, %s: %s", o.Key, happens, did)
			}
			c := w.Condition(summary.Stalled)
			if accepted := w.Condition(summary.SpecAccepted); accepted.Status != "False" || c.Status != "True" ||
				!strings.Contains(accepted.Message, o.Key) {
				t.Errorf("%s cannot be read, %s: not told, %+v", o.Key, happens, accepted)
			}
		}
	}
	w := misreads(t, key.SavepointCleanupEnabled)
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			strings.Replace(s.FlinkConfiguration.String(), "'a week", "false", 1),
		)
		s.Job.Parallelism = 4
	})
	if p := w.Run(); p.Situation != plan.Upgrade || w.Condition(summary.SpecAccepted).Status != "True" {
		t.Errorf("the corrected spec does not count: %s", p)
	}
}

// A first start waits for a spec that can be read.
func TestNothingStartsByAnOptionThatCannotBeRead(t *testing.T) {
	for _, o := range key.All() {
		ours := o.Scope == conf.ScopeResource || o.Scope == conf.ScopeUnknown
		if !ours || o.Kind == conf.KindString || o.Key == key.HAJobManagerPort.Key {
			continue
		}
		w := enginetest.NewDeployment(
			t,
			enginetest.With(enginetest.Stateful, `"taskmanager.numberOfTaskSlots":"2"`, `"`+o.Key+`":"'a week"`),
		)
		if p := w.Run(); p.Situation != plan.Invalid || didSince(w, 0) != "" {
			t.Errorf("%s cannot be read: %s", o.Key, p)
		}
	}
}

// A deletion ends, and loses nothing: where it cannot be read whether a savepoint is wanted, one is taken.
func TestADeletionWhoseOptionCannotBeReadTakesASavepoint(t *testing.T) {
	w := misreads(t, key.JobSavepointOnDeletion)
	w.Delete()
	if p := w.Run(); !strings.Contains(p.String(), "savepoint") || w.Gone {
		t.Fatalf("no savepoint is taken: %s", p)
	}
	told := false
	for _, e := range w.Events {
		told = told || e.Warning && strings.Contains(e.Message, key.JobSavepointOnDeletion.Key)
	}
	if !told {
		t.Errorf("nobody is told why: %+v", w.Events)
	}
	for range 8 { // no savepoint can be taken
		w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Minute)
		w.Run()
		w.Terminate()
	}
	if w.Run(); !w.Gone {
		t.Errorf("the deletion does not end: %q", w.Log)
	}
	idle := misreads(t, key.JobSavepointOnDeletion)
	idle.Edit(func(s *v1beta1.FlinkDeploymentSpec) {})
	idle.Snapshot.Flink = world.Flink{Jobs: plan.Present([]world.Job{})}
	idle.ServeJob(v1beta1.FlinkJobFinished)
	idle.Run()
	idle.Delete()
	idle.Run()
	idle.Terminate()
	if idle.Run(); !idle.Gone {
		t.Errorf("a resource without a job is not deleted: %q", idle.Log)
	}
	never := enginetest.NewDeployment(
		t,
		enginetest.Spelled(enginetest.Stateful, `"`+key.JobSavepointOnDeletion.Key+`":"yes"`),
	)
	never.Run()
	never.Delete()
	never.Run()
	if len(never.Snapshot.Resource.Finalizers) > 0 {
		t.Errorf("a resource that never ran is not deleted: %q", never.Log)
	}
}

// A job that runs by a spec with a value that cannot be read goes on.
func TestARecordedValueThatCannotBeReadTakesNothingDown(t *testing.T) {
	for _, o := range key.All() {
		if o.Kind == conf.KindString || o.Scope == conf.ScopeOperator || o.Scope == conf.ScopeNamespace {
			continue
		}
		w := enginetest.Stable(t, enginetest.Stateful)
		spoil := func(text string) string {
			return strings.Replace(text, `"state.savepoints.dir"`, `"`+o.Key+`":"'a week","state.savepoints.dir"`, 1)
		}
		spec, status := &w.Snapshot.Resource.Spec, &w.Snapshot.Resource.Status.ReconciliationStatus
		spec.FlinkConfiguration = v1beta1.FlinkConfiguration(spoil(spec.FlinkConfiguration.String()))
		status.LastReconciledSpec, status.LastStableSpec = spoil(status.LastReconciledSpec), spoil(status.LastStableSpec)
		if !strings.Contains(status.LastReconciledSpec, "a week") {
			t.Fatalf("%s is not recorded: %s", o.Key, status.LastReconciledSpec)
		}
		before := len(w.Log)
		w.Run()
		w.Snapshot.Now = w.Snapshot.Now.Add(25 * time.Hour)
		w.Run()
		if did := didSince(w, before); did != "" {
			t.Errorf("%s of what runs cannot be read: %s", o.Key, did)
		}
	}
}
