package operation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Starts and stops that take long, or are called off.

func hostedSuspends(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended }

// No job is started beside one that is being cancelled. A person is called after the clean-up timeout.
func TestACancelledJobIsAwaited(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	w.Round()
	w.Set(w.Jobs[0].ID, v1beta1.FlinkJobCancelling)
	for _, look := range []struct {
		after   time.Duration
		stalled bool
	}{{0, false}, {5 * time.Minute, false}, {time.Second, true}} {
		w.Sleep(look.after)
		w.Run()
		if stalled := strings.HasPrefix(
			w.Condition("Stalled"),
			string(plan.ReasonCancelOverdue),
		); stalled != look.stalled ||
			len(w.Runs) != 1 {
			t.Errorf("after %s more: stalled %t, %d runs; %q", look.after, stalled, len(w.Runs), w.Log)
		}
	}
	w.Set(w.Jobs[0].ID, v1beta1.FlinkJobCanceled)
	w.UntilSteady()
	if len(w.Runs) != 2 {
		t.Errorf("%d runs", len(w.Runs))
	}
}

// A start that is called off before its jar was run starts nothing, and loses no state.
func TestAStartThatIsSuspended(t *testing.T) {
	rows := map[string]struct {
		before    func(w *enginetest.SessionJob)
		lifecycle v1beta1.LifecycleState
		from      string
	}{
		"the first": {func(*enginetest.SessionJob) {}, v1beta1.LifecycleSuspended, ""},
		"an upgrade": {func(w *enginetest.SessionJob) {
			w.Uploads = true
			w.UntilSteady()
			w.Uploads = false
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		}, v1beta1.LifecycleSuspended, "file:///s/savepoint-1"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.Uploads = false
			row.before(w)
			ran := len(w.Runs)
			for range 5 {
				w.Run()
				w.Sleep(time.Second)
			}
			if i := w.Status().Intent; i == nil || i.Step != v1beta1.StepStarting {
				t.Fatalf("not being started: %+v", i)
			}
			w.Edit(hostedSuspends)
			w.Uploads = true
			for range 5 {
				w.Run()
				w.Sleep(time.Second)
			}
			if s := w.Status(); s.LifecycleState != row.lifecycle || s.Intent != nil || len(w.Runs) != ran {
				t.Errorf("%s, %+v, %d more runs; %q", s.LifecycleState, s.Intent, len(w.Runs)-ran, w.Log)
			}
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.UntilSteady()
			if last := w.Runs[len(w.Runs)-1]; len(w.Runs) != ran+1 || last.SavepointPath != row.from {
				t.Errorf("resumed by %+v, want one from %q", w.Runs[ran:], row.from)
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
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.UntilSteady()
			if row.suspended {
				w.Edit(hostedSuspends)
				w.Run()
				w.Run()
			}
			d := enginetest.SessionCluster()
			d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
			w.Snapshot.Cluster = plan.Present(d)
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
				if s.Job.State = v1beta1.JobStateSuspended; row.wanted {
					s.Job.State = v1beta1.JobStateRunning
				}
			})
			w.Run()
			if got := w.Status().Situation; got != string(row.want) {
				t.Errorf("%s, want %s; %q", got, row.want, w.Log)
			}
		})
	}
}

// A start that is no upgrade has no spec to go back to: it waits for its jar.
func TestARestartWithoutItsJarIsNotRolledBack(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Edit(enginetest.HostedOptions(enginetest.HostedRollsBack))
	w.UntilSteady()
	w.Missing = w.Snapshot.Resource.Spec.Job.JarURI
	w.Set(w.Jobs[0].ID, v1beta1.FlinkJobCanceled) // by somebody: a stateless job is started again
	for range 20 {
		w.Run()
		w.Sleep(10 * time.Second)
	}
	if w.RolledBack() || w.Status().Intent == nil || len(w.Runs) != 1 {
		t.Errorf("rolled back: %t, %+v, runs %+v", w.RolledBack(), w.Status().Intent, w.Runs)
	}
	w.Missing = ""
	w.Sleep(10 * time.Minute)
	w.UntilSteady()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
}

// Only who was told by Flink that nothing was started counts a start as one that never ran.
func TestNeverRan(t *testing.T) {
	rows := map[string]struct {
		then func(w *enginetest.SessionJob)
		want bool
	}{
		"refused":              {func(*enginetest.SessionJob) {}, true},
		"refused, then silent": {func(w *enginetest.SessionJob) { w.Silent = true }, false},
		"refused, and listed since": {
			func(w *enginetest.SessionJob) { w.Jobs = append(w.Jobs, enginetest.RunningJob(w.Runs[0].JobID)) },
			false,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.Refuses = "no such class"
			w.Run()
			row.then(w)
			w.Look()
			if got := session.New(w.Snapshot).NeverRan(); got != row.want {
				t.Errorf("never ran: %t, want %t", got, row.want)
			}
		})
	}
}
