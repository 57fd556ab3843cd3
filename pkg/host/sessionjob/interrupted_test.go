package sessionjob

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Starts and stops that take long, or are called off.

func suspends(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended }

// No job is started beside one that is being cancelled. A person is called after the clean-up timeout.
func TestACancelledJobIsAwaited(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	w.round()
	w.set(w.jobs[0].ID, v1beta1.FlinkJobCancelling)
	for _, look := range []struct {
		after   time.Duration
		stalled bool
	}{{0, false}, {5 * time.Minute, false}, {time.Second, true}} {
		w.sleep(look.after)
		w.run()
		if stalled := strings.HasPrefix(
			w.condition("Stalled"),
			string(plan.ReasonCancelOverdue),
		); stalled != look.stalled ||
			len(w.runs) != 1 {
			t.Errorf("after %s more: stalled %t, %d runs; %q", look.after, stalled, len(w.runs), w.log)
		}
	}
	w.set(w.jobs[0].ID, v1beta1.FlinkJobCanceled)
	w.untilSteady()
	if len(w.runs) != 2 {
		t.Errorf("%d runs", len(w.runs))
	}
}

// A start that is called off before its jar was run starts nothing, and loses no state.
func TestAStartThatIsSuspended(t *testing.T) {
	rows := map[string]struct {
		before    func(w *fixture)
		lifecycle v1beta1.LifecycleState
		from      string
	}{
		"the first": {func(*fixture) {}, v1beta1.LifecycleSuspended, ""},
		"an upgrade": {func(w *fixture) {
			w.uploads = true
			w.untilSteady()
			w.uploads = false
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		}, v1beta1.LifecycleSuspended, "file:///s/savepoint-1"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateful("savepoint"))
			w.uploads = false
			row.before(w)
			ran := len(w.runs)
			for range 5 {
				w.run()
				w.sleep(time.Second)
			}
			if i := w.status().Intent; i == nil || i.Step != v1beta1.StepStarting {
				t.Fatalf("not being started: %+v", i)
			}
			w.edit(suspends)
			w.uploads = true
			for range 5 {
				w.run()
				w.sleep(time.Second)
			}
			if s := w.status(); s.LifecycleState != row.lifecycle || s.Intent != nil || len(w.runs) != ran {
				t.Errorf("%s, %+v, %d more runs; %q", s.LifecycleState, s.Intent, len(w.runs)-ran, w.log)
			}
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.untilSteady()
			if last := w.runs[len(w.runs)-1]; len(w.runs) != ran+1 || last.SavepointPath != row.from {
				t.Errorf("resumed by %+v, want one from %q", w.runs[ran:], row.from)
			}
		})
	}
}

// A job that is to run waits for its session cluster; one that rests does not.
func TestWhoWaitsForTheSessionCluster(t *testing.T) {
	rows := map[string]struct {
		suspended, wanted bool
		want              plan.Situation
	}{
		"runs":            {false, true, plan.Waiting},
		"to be suspended": {false, false, plan.Waiting},
		"suspended":       {true, false, plan.Suspended},
		"to be resumed":   {true, true, plan.Waiting},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			w.untilSteady()
			if row.suspended {
				w.edit(suspends)
				w.run()
				w.run()
			}
			d := sessionCluster()
			d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
			w.s.Cluster = plan.Present(d)
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) {
				if s.Job.State = v1beta1.JobStateSuspended; row.wanted {
					s.Job.State = v1beta1.JobStateRunning
				}
			})
			w.run()
			if got := w.status().Situation; got != string(row.want) {
				t.Errorf("%s, want %s; %q", got, row.want, w.log)
			}
		})
	}
}

// A start that is no upgrade has no spec to go back to: it waits for its jar.
func TestARestartWithoutItsJarIsNotRolledBack(t *testing.T) {
	w := newWorld(t, stateless)
	w.edit(options(rollsBack))
	w.untilSteady()
	w.missing = w.s.Resource.Spec.Job.JarURI
	w.set(w.jobs[0].ID, v1beta1.FlinkJobCanceled) // by somebody: a stateless job is started again
	for range 20 {
		w.run()
		w.sleep(10 * time.Second)
	}
	if w.rolledBack() || w.status().Intent == nil || len(w.runs) != 1 {
		t.Errorf("rolled back: %t, %+v, runs %+v", w.rolledBack(), w.status().Intent, w.runs)
	}
	w.missing = ""
	w.sleep(10 * time.Minute)
	w.untilSteady()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
}

// Only who was told by Flink that nothing was started counts a start as one that never ran.
func TestNeverRan(t *testing.T) {
	rows := map[string]struct {
		then func(w *fixture)
		want bool
	}{
		"refused":                   {func(*fixture) {}, true},
		"refused, then silent":      {func(w *fixture) { w.silent = true }, false},
		"refused, and listed since": {func(w *fixture) { w.jobs = append(w.jobs, runningJob(w.runs[0].JobID)) }, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			w.refuses = "no such class"
			w.run()
			row.then(w)
			w.look()
			if got := Open(w.s).view.NeverRan(); got != row.want {
				t.Errorf("never ran: %t, want %t", got, row.want)
			}
		})
	}
}
