package deployment

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// misreads is a job that runs, whose spec has gone past admission with a value that cannot be read.
func misreads(t *testing.T, o conf.Option) *fixture {
	t.Helper()
	w := stable(t, stateful)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
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
func (w *fixture) didSince(rounds int) string {
	var did []string
	for _, round := range w.log[rounds:] {
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
		for happens, then := range map[string]func(w *fixture){
			"nothing":                func(*fixture) {},
			"its JobManager is lost": func(w *fixture) { w.lose() },
			"it fails":               func(w *fixture) { w.serveJob(v1beta1.FlinkJobFailed) },
			"it fails and a day goes by": func(w *fixture) {
				w.serveJob(v1beta1.FlinkJobFailed)
				w.run()
				w.s.Now = w.s.Now.Add(25 * time.Hour)
			},
			"it finishes, and a day later": func(w *fixture) {
				w.serveJob(v1beta1.FlinkJobFinished)
				w.run()
				w.s.Now = w.s.Now.Add(25 * time.Hour)
			},
		} {
			if happens != "nothing" && !slices.Contains(decisive, o.Key) {
				continue
			}
			w := misreads(t, o)
			then(w)
			before := len(w.log)
			w.run()
			if did := w.didSince(before); did != "" {
				t.Errorf("%s cannot be read, %s: %s", o.Key, happens, did)
			}
			c := w.condition(summary.Stalled)
			if accepted := w.condition(summary.SpecAccepted); accepted.Status != "False" || c.Status != "True" ||
				!strings.Contains(accepted.Message, o.Key) {
				t.Errorf("%s cannot be read, %s: not told, %+v", o.Key, happens, accepted)
			}
		}
	}
	w := misreads(t, key.SavepointCleanupEnabled)
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			strings.Replace(s.FlinkConfiguration.String(), "'a week", "false", 1),
		)
		s.Job.Parallelism = 4
	})
	if p := w.run(); p.Situation != plan.Upgrade || w.condition(summary.SpecAccepted).Status != "True" {
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
		w := newWorld(t, with(stateful, `"taskmanager.numberOfTaskSlots":"2"`, `"`+o.Key+`":"'a week"`))
		if p := w.run(); p.Situation != plan.Invalid || w.didSince(0) != "" {
			t.Errorf("%s cannot be read: %s", o.Key, p)
		}
	}
}

// A deletion ends, and loses nothing: where it cannot be read whether a savepoint is wanted, one is taken.
func TestADeletionWhoseOptionCannotBeReadTakesASavepoint(t *testing.T) {
	w := misreads(t, key.JobSavepointOnDeletion)
	w.delete()
	if p := w.run(); !strings.Contains(p.String(), "savepoint") || w.gone {
		t.Fatalf("no savepoint is taken: %s", p)
	}
	told := false
	for _, e := range w.events {
		told = told || e.Warning && strings.Contains(e.Message, key.JobSavepointOnDeletion.Key)
	}
	if !told {
		t.Errorf("nobody is told why: %+v", w.events)
	}
	for range 8 { // no savepoint can be taken
		w.s.Now = w.s.Now.Add(10 * time.Minute)
		w.run()
		w.terminate()
	}
	if w.run(); !w.gone {
		t.Errorf("the deletion does not end: %q", w.log)
	}
	idle := misreads(t, key.JobSavepointOnDeletion)
	idle.edit(func(s *v1beta1.FlinkDeploymentSpec) {})
	idle.s.Flink = world.Flink{Jobs: plan.Present([]world.Job{})}
	idle.serveJob(v1beta1.FlinkJobFinished)
	idle.run()
	idle.delete()
	idle.run()
	idle.terminate()
	if idle.run(); !idle.gone {
		t.Errorf("a resource without a job is not deleted: %q", idle.log)
	}
	never := newWorld(t, spelled(stateful, `"`+key.JobSavepointOnDeletion.Key+`":"yes"`))
	never.run()
	never.delete()
	never.run()
	if len(never.s.Resource.Finalizers) > 0 {
		t.Errorf("a resource that never ran is not deleted: %q", never.log)
	}
}

// A job that runs by a spec with a value that cannot be read goes on.
func TestARecordedValueThatCannotBeReadTakesNothingDown(t *testing.T) {
	for _, o := range key.All() {
		if o.Kind == conf.KindString || o.Scope == conf.ScopeOperator || o.Scope == conf.ScopeNamespace {
			continue
		}
		w := stable(t, stateful)
		spoil := func(text string) string {
			return strings.Replace(text, `"state.savepoints.dir"`, `"`+o.Key+`":"'a week","state.savepoints.dir"`, 1)
		}
		spec, status := &w.s.Resource.Spec, &w.s.Resource.Status.ReconciliationStatus
		spec.FlinkConfiguration = v1beta1.FlinkConfiguration(spoil(spec.FlinkConfiguration.String()))
		status.LastReconciledSpec, status.LastStableSpec = spoil(status.LastReconciledSpec), spoil(status.LastStableSpec)
		if !strings.Contains(status.LastReconciledSpec, "a week") {
			t.Fatalf("%s is not recorded: %s", o.Key, status.LastReconciledSpec)
		}
		before := len(w.log)
		w.run()
		w.s.Now = w.s.Now.Add(25 * time.Hour)
		w.run()
		if did := w.didSince(before); did != "" {
			t.Errorf("%s of what runs cannot be read: %s", o.Key, did)
		}
	}
}
