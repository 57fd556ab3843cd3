package sessionjob_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// leaves is what another operator left: a state, and a record of a job.
func leaves(w *enginetest.SessionJob, state v1beta1.ReconciliationState, recorded v1beta1.JobState, first bool) {
	w.T.Helper()
	r := &w.Snapshot.Resource.Status.ReconciliationStatus
	last, err := v1beta1.ParseReconciledSessionJob(r.LastReconciledSpec)
	if err != nil {
		w.T.Fatal(err)
	}
	last.Spec.Job.State, last.Meta.FirstDeployment = recorded, first
	if r.LastReconciledSpec, err = last.Text(); err != nil {
		w.T.Fatal(err)
	}
	if r.State = state; first {
		r.LastStableSpec = ""
	}
	w.Bump()
}

// What another operator was doing is brought to its end, and costs no job.
func TestTakenOverIsAsDrawn(t *testing.T) {
	const upgrading = v1beta1.ReconciliationUpgrading
	const suspended, running = v1beta1.JobStateSuspended, v1beta1.JobStateRunning
	silent := func(w *enginetest.SessionJob) { w.Silent = true }
	lost := func(w *enginetest.SessionJob) { w.Jobs = nil }
	in := func(state v1beta1.FlinkJobState) func(w *enginetest.SessionJob) {
		return func(w *enginetest.SessionJob) { w.Set(w.Status().JobStatus.JobID, state) }
	}
	suspends := func(w *enginetest.SessionJob) {
		w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = suspended })
	}
	both := func(stories ...func(w *enginetest.SessionJob)) func(w *enginetest.SessionJob) {
		return func(w *enginetest.SessionJob) {
			for _, story := range stories {
				story(w)
			}
		}
	}
	rows := map[string]struct {
		row      string
		state    v1beta1.ReconciliationState
		recorded v1beta1.JobState
		first    bool
		seen     func(w *enginetest.SessionJob)
		runs     int // jobs that were started since
		ends     v1beta1.LifecycleState
	}{
		"nobody answers":        {"P1", upgrading, running, false, silent, 0, v1beta1.LifecycleUpgrading},
		"nobody answers, first": {"P1", "", suspended, true, silent, 0, v1beta1.LifecycleUpgrading},
		"submitted":             {"P2", upgrading, suspended, false, nil, 0, v1beta1.LifecycleStable},
		"submitted, first":      {"P2", "", suspended, true, nil, 0, v1beta1.LifecycleStable},
		"not submitted, first":  {"P3", upgrading, suspended, true, lost, 1, v1beta1.LifecycleStable},
		"no state, and first":   {"P3", "", suspended, true, lost, 1, v1beta1.LifecycleStable},
		"ended, first": {
			"P3",
			upgrading,
			suspended,
			true,
			in(v1beta1.FlinkJobFailed),
			1,
			v1beta1.LifecycleStable,
		},
		"suspended": {
			"P4",
			upgrading,
			suspended,
			false,
			both(lost, suspends),
			0,
			v1beta1.LifecycleSuspended,
		},
		"not stopped":        {"P5", upgrading, running, false, nil, 0, v1beta1.LifecycleStable},
		"no state, and runs": {"P5", "", running, false, nil, 0, v1beta1.LifecycleStable},
		"not submitted":      {"P6", upgrading, suspended, false, lost, 1, v1beta1.LifecycleStable},
		"is being cancelled": {"P6", upgrading, running, false, in(v1beta1.FlinkJobCancelling), 0,
			v1beta1.LifecycleUpgrading},
	}
	drawn := drawing.Read(t, "takeover.go", "takenOver")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.UntilSteady()
			ran := len(w.Runs)
			leaves(w, row.state, row.recorded, row.first)
			if row.seen != nil {
				row.seen(w)
			}
			for range 5 {
				w.Run()
				w.Sleep(5 * time.Second)
			}
			s := w.Status()
			if s.LifecycleState != row.ends || len(w.Runs)-ran != row.runs {
				t.Errorf(
					"%s, %d started, want %s, %d; %+v; %q",
					s.LifecycleState,
					len(w.Runs)-ran,
					row.ends,
					row.runs,
					s,
					w.Log,
				)
			}
		})
	}
	if err := drawn.Shown("takenOver", shown...); err != nil {
		t.Error(err)
	}
}

// What the Java operator's autoscaler had set is in the record, and may be in its store. The spec has none of it, and
// the job is not restarted for that.
func TestATakenOverAutoscaledJobGoesOnOfASessionJob(t *testing.T) {
	const scaled = "a:4"
	for name, store := range map[string]plan.Observed[autoscaled.Store]{
		"as it was left":           plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": scaled}}),
		"the store is gone":        plan.Absent[autoscaled.Store](),
		"the store cannot be read": plan.Unknown[autoscaled.Store]("forbidden"),
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.Edit(enginetest.HostedOptions(`{"job.autoscaler.enabled":"true"}`))
			w.UntilSteady()
			s := w.Status()
			text := strings.Replace(s.ReconciliationStatus.LastReconciledSpec, `"job.autoscaler.enabled":`,
				`"`+enginetest.HostedOverrides+`":"`+scaled+`","job.autoscaler.enabled":`, 1)
			w.Snapshot.Resource.Status = v1beta1.FlinkSessionJobStatus{
				JobStatus: s.JobStatus, LifecycleState: s.LifecycleState, ObservedGeneration: s.ObservedGeneration,
				ReconciliationStatus: v1beta1.ReconciliationStatus{
					State: v1beta1.ReconciliationDeployed, LastReconciledSpec: text, LastStableSpec: text,
				},
			}
			w.Snapshot.Autoscaled, w.Log = store, nil
			for range 3 {
				w.Run()
				w.Sleep(time.Minute)
			}
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
			if recorded := w.Status().ReconciliationStatus.LastReconciledSpec; len(w.Runs) != 1 ||
				w.Status().Intent != nil ||
				!strings.Contains(recorded, scaled) {
				t.Errorf("%d runs, recorded %s; rounds %q", len(w.Runs), recorded, w.Log)
			}
			want := plan.ReasonAutoscalerCollecting
			if store.IsUnknown() {
				want = plan.ReasonAutoscalerStoreUnreadable
			}
			if c := w.Condition("Autoscaling"); !strings.HasPrefix(c, string(want)+": ") {
				t.Errorf("Autoscaling says %q, want %s", c, want)
			}
		})
	}
}
