package sessionjob

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// rollsBack switches rollbacks on.
const rollsBack = `{"kubernetes.operator.deployment.rollback.enabled":"true",` +
	`"kubernetes.operator.deployment.readiness.timeout":"60s"}`

// changed is a job with rollbacks on that runs, and was then changed: Flink runs the new one, whose tasks have not
// begun yet. A stop takes savepoint-1.
func changed(t *testing.T, mode, options string) *fixture {
	t.Helper()
	w := newWorld(t, stateful(mode))
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(options) })
	w.untilSteady()
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for i := 0; i < 100 && len(w.runs) < 2; i++ {
		w.round()
		w.sleep(time.Second)
	}
	if len(w.runs) < 2 {
		t.Fatalf("Flink was not asked: %q", w.log)
	}
	w.set(w.runs[1].JobID, v1beta1.FlinkJobCreated)
	w.run()
	if s := w.status(); s.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || s.Intent != nil ||
		s.ReconciliationStatus.LastStableSpec == s.ReconciliationStatus.LastReconciledSpec {
		t.Fatalf("not deployed, or stable already: %+v\n%q", s, w.log)
	}
	return w
}

// refused is the same while Flink refuses to run the jar.
func refused(t *testing.T, mode string) *fixture {
	t.Helper()
	w := newWorld(t, stateful(mode))
	w.edit(options(rollsBack))
	w.untilSteady()
	w.refuses = "no such method"
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for range 5 {
		w.run()
		w.sleep(2 * time.Second)
	}
	if len(w.runs) < 2 {
		t.Fatalf("Flink was not asked: %q", w.log)
	}
	return w
}

// rolledBack reports whether it was told that the job is taken back.
func (w *fixture) rolledBack() bool {
	return slices.ContainsFunc(w.events, func(e plan.Event) bool { return e.Reason == plan.ReasonRollback })
}

// ends has the newest job end or begin to, as was recorded before the look.
func (w *fixture) ends(state v1beta1.FlinkJobState) {
	w.set(w.status().JobStatus.JobID, state)
	w.checkpointed("file:///c/chk-7")
	if w.s.Resource.Status.JobStatus.State = state; state.IsTerminal() {
		w.s.Resource.Status.JobStatus.LastStateUnread = true
	}
}

func TestTheRollbackOfASessionJobIsAsDrawn(t *testing.T) {
	by := func(mode string) func(t *testing.T) *fixture {
		return func(t *testing.T) *fixture { return changed(t, mode, rollsBack) }
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		from func(t *testing.T) *fixture
		then func(w *fixture)
		// says is from where the stable spec starts when it begins, else what status says of the wait.
		says string
	}{
		"keeps no state": {"B4", by("stateless"), func(*fixture) {}, ""},
		"was refused": {"B6", func(t *testing.T) *fixture {
			return refused(t, "savepoint")
		}, func(*fixture) {}, "file:///s/savepoint-1"},
		"was refused, by last-state": {"B6", func(t *testing.T) *fixture {
			return refused(t, "last-state")
		}, func(*fixture) {}, ""},
		"fails": {"B8", by("savepoint"), func(w *fixture) { w.ends(v1beta1.FlinkJobFailing) },
			"JobEnding: the job is FAILING; the roll-back begins when it has ended"},
		"is cancelled": {"B8", by("savepoint"), func(w *fixture) { w.ends(v1beta1.FlinkJobCancelling) },
			"JobEnding: the job is CANCELLING; the roll-back begins when it has ended"},
		"has failed, and its end is not known": {"B9", by("savepoint"), func(w *fixture) {
			w.ends(v1beta1.FlinkJobFailed)
			w.untold = "time-out"
		}, "JobEnded: the job has ended; its last checkpoint is read as soon as Flink's statistics show it"},
		"has failed": {
			"B10",
			by("savepoint"),
			func(w *fixture) { w.ends(v1beta1.FlinkJobFailed) },
			"file:///c/chk-7",
		},
		"was cancelled": {
			"B10",
			by("last-state"),
			func(w *fixture) { w.ends(v1beta1.FlinkJobCanceled) },
			"file:///c/chk-7",
		},
		"has failed, and its newest state is lost": {"B10/B13", by("savepoint"), func(w *fixture) {
			w.ends(v1beta1.FlinkJobFailed)
			w.s.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
			w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
		}, "and it cannot be rolled back; correct the spec first"},
		"does not run, and has a checkpoint": {"B11", by("last-state"), func(w *fixture) {
			w.checkpointed("file:///c/chk-7")
		}, "file:///c/chk-7"},
		"does not run, and has none": {"B11", by("savepoint"), func(*fixture) {}, "file:///s/savepoint-1"},
		"does not run, and Flink would delete its checkpoint": {"B11b", by("savepoint"), func(w *fixture) {
			w.checkpointed("file:///c/chk-7")
			w.s.Flink.Retention = plan.Present(upgrade.Retention{Failed: true, Periodic: true})
		}, "CheckpointsNotRetained: what was deployed does not become stable, and its roll-back waits: "},
	}
	drawn := drawing.Read(t, "../../engine/decide/rollbackchoice.go", "chooseRollback")
	// B1: its cluster has the Flink version. B3, B12: it never begins from high-availability data. B5: one that never ran
	// is not listed. B2, B7: where Flink does not answer it waits for its cluster first, see hosted.
	shown := []string{"B1", "B2", "B3", "B5", "B7", "B12"}
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := row.from(t)
			row.then(w)
			w.sleep(2 * time.Minute) // the readiness timeout passes
			if retry := w.s.Resource.Status.Retry; retry != nil {
				retry.After.Time = w.s.Now.Add(time.Hour) // what was refused is not tried again before
			}
			before := len(w.runs)
			w.refuses = ""
			w.run()
			answer := drawing.Row{"answer": "waits", "stop": "-"}
			if w.rolledBack() {
				answer = drawing.Row{"answer": "begins"}
			}
			says := w.condition("Reconciling") + w.condition("Stalled")
			if strings.Contains(says, string(plan.ReasonRollbackImpossible)+": ") {
				answer["answer"] = "refuses"
			}
			if err := drawn.Holds(row.row, answer); err != nil {
				t.Fatalf("%v; conditions %+v, rounds %q", err, w.status().Conditions, w.log)
			}
			if answer["answer"] != "begins" {
				if !strings.Contains(says, row.says) || says == "" {
					t.Errorf("status says %q, want %q", says, row.says)
				}
				return
			}
			w.untilSteady()
			w.want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
			last := w.runs[len(w.runs)-1]
			if len(w.runs) != before+1 || last.Parallelism != 2 || last.SavepointPath != row.says ||
				len(w.running()) != 1 {
				t.Errorf("runs %+v, jobs %+v, want one from %q", w.runs[before:], w.jobs, row.says)
			}
		})
	}
	if err := drawn.Shown("choose", shown...); err != nil {
		t.Error(err)
	}
}
