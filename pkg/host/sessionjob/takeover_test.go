package sessionjob

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// leaves is what another operator left: a state, and a record of a job.
func (w *fixture) leaves(state v1beta1.ReconciliationState, recorded v1beta1.JobState, first bool) {
	w.t.Helper()
	r := &w.s.Resource.Status.ReconciliationStatus
	last, err := v1beta1.ParseReconciledSessionJob(r.LastReconciledSpec)
	if err != nil {
		w.t.Fatal(err)
	}
	last.Spec.Job.State, last.Meta.FirstDeployment = recorded, first
	if r.LastReconciledSpec, err = last.Text(); err != nil {
		w.t.Fatal(err)
	}
	if r.State = state; first {
		r.LastStableSpec = ""
	}
	w.bump()
}

// What another operator was doing is brought to its end, and costs no job.
func TestTakenOverIsAsDrawn(t *testing.T) {
	const upgrading = v1beta1.ReconciliationUpgrading
	const suspended, running = v1beta1.JobStateSuspended, v1beta1.JobStateRunning
	silent := func(w *fixture) { w.silent = true }
	lost := func(w *fixture) { w.jobs = nil }
	in := func(state v1beta1.FlinkJobState) func(w *fixture) {
		return func(w *fixture) { w.set(w.status().JobStatus.JobID, state) }
	}
	suspends := func(w *fixture) { w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = suspended }) }
	both := func(stories ...func(w *fixture)) func(w *fixture) {
		return func(w *fixture) {
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
		seen     func(w *fixture)
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
			w := newWorld(t, stateless)
			w.untilSteady()
			ran := len(w.runs)
			w.leaves(row.state, row.recorded, row.first)
			if row.seen != nil {
				row.seen(w)
			}
			for range 5 {
				w.run()
				w.sleep(5 * time.Second)
			}
			s := w.status()
			if s.LifecycleState != row.ends || len(w.runs)-ran != row.runs {
				t.Errorf(
					"%s, %d started, want %s, %d; %+v; %q",
					s.LifecycleState,
					len(w.runs)-ran,
					row.ends,
					row.runs,
					s,
					w.log,
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
func TestATakenOverAutoscaledJobGoesOn(t *testing.T) {
	const scaled = "a:4"
	for name, store := range map[string]plan.Observed[autoscaled.Store]{
		"as it was left":           plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": scaled}}),
		"the store is gone":        plan.Absent[autoscaled.Store](),
		"the store cannot be read": plan.Unknown[autoscaled.Store]("forbidden"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateful("savepoint"))
			w.edit(options(`{"job.autoscaler.enabled":"true"}`))
			w.untilSteady()
			s := w.status()
			text := strings.Replace(s.ReconciliationStatus.LastReconciledSpec, `"job.autoscaler.enabled":`,
				`"`+overrides+`":"`+scaled+`","job.autoscaler.enabled":`, 1)
			w.s.Resource.Status = v1beta1.FlinkSessionJobStatus{
				JobStatus: s.JobStatus, LifecycleState: s.LifecycleState, ObservedGeneration: s.ObservedGeneration,
				ReconciliationStatus: v1beta1.ReconciliationStatus{
					State: v1beta1.ReconciliationDeployed, LastReconciledSpec: text, LastStableSpec: text,
				},
			}
			w.s.Autoscaled, w.log = store, nil
			for range 3 {
				w.run()
				w.sleep(time.Minute)
			}
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
			if recorded := w.status().ReconciliationStatus.LastReconciledSpec; len(w.runs) != 1 ||
				w.status().Intent != nil ||
				!strings.Contains(recorded, scaled) {
				t.Errorf("%d runs, recorded %s; rounds %q", len(w.runs), recorded, w.log)
			}
			want := plan.ReasonAutoscalerCollecting
			if store.IsUnknown() {
				want = plan.ReasonAutoscalerStoreUnreadable
			}
			if c := w.condition("Autoscaling"); !strings.HasPrefix(c, string(want)+": ") {
				t.Errorf("Autoscaling says %q, want %s", c, want)
			}
		})
	}
}
