package sessionjob_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// refused is the same while Flink refuses to run the jar.
func refused(t *testing.T, mode string) *enginetest.SessionJob {
	t.Helper()
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful(mode))
	w.Edit(enginetest.HostedOptions(enginetest.HostedRollsBack))
	w.UntilSteady()
	w.Refuses = "no such method"
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for range 5 {
		w.Run()
		w.Sleep(2 * time.Second)
	}
	if len(w.Runs) < 2 {
		t.Fatalf("Flink was not asked: %q", w.Log)
	}
	return w
}

// ends has the newest job end or begin to, as was recorded before the look.
func ends(w *enginetest.SessionJob, state v1beta1.FlinkJobState) {
	w.Set(w.Status().JobStatus.JobID, state)
	w.Checkpointed("file:///c/chk-7")
	if w.Snapshot.Resource.Status.JobStatus.State = state; state.IsTerminal() {
		w.Snapshot.Resource.Status.JobStatus.LastStateUnread = true
	}
}

func TestTheRollbackOfASessionJobIsAsDrawn(t *testing.T) {
	by := func(mode string) func(t *testing.T) *enginetest.SessionJob {
		return func(t *testing.T) *enginetest.SessionJob {
			return enginetest.HostedChanged(t, mode, enginetest.HostedRollsBack)
		}
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		from func(t *testing.T) *enginetest.SessionJob
		then func(w *enginetest.SessionJob)
		// says is from where the stable spec starts when it begins, else what status says of the wait.
		says string
	}{
		"keeps no state": {"B4", by("stateless"), func(*enginetest.SessionJob) {}, ""},
		"was refused": {"B6", func(t *testing.T) *enginetest.SessionJob {
			return refused(t, "savepoint")
		}, func(*enginetest.SessionJob) {}, "file:///s/savepoint-1"},
		"was refused, by last-state": {"B6", func(t *testing.T) *enginetest.SessionJob {
			return refused(t, "last-state")
		}, func(*enginetest.SessionJob) {}, ""},
		"fails": {"B8", by("savepoint"), func(w *enginetest.SessionJob) { ends(w, v1beta1.FlinkJobFailing) },
			"JobEnding: the job is FAILING; the roll-back begins when it has ended"},
		"is cancelled": {"B8", by("savepoint"), func(w *enginetest.SessionJob) { ends(w, v1beta1.FlinkJobCancelling) },
			"JobEnding: the job is CANCELLING; the roll-back begins when it has ended"},
		"has failed, and its end is not known": {"B9", by("savepoint"), func(w *enginetest.SessionJob) {
			ends(w, v1beta1.FlinkJobFailed)
			w.Untold = "time-out"
		}, "JobEnded: the job has ended; its last checkpoint is read as soon as Flink's statistics show it"},
		"has failed": {
			"B10",
			by("savepoint"),
			func(w *enginetest.SessionJob) { ends(w, v1beta1.FlinkJobFailed) },
			"file:///c/chk-7",
		},
		"was cancelled": {
			"B10",
			by("last-state"),
			func(w *enginetest.SessionJob) { ends(w, v1beta1.FlinkJobCanceled) },
			"file:///c/chk-7",
		},
		"has failed, and its newest state is lost": {"B10/B13", by("savepoint"), func(w *enginetest.SessionJob) {
			ends(w, v1beta1.FlinkJobFailed)
			w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
			w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
		}, "and it cannot be rolled back; correct the spec first"},
		"does not run, and has a checkpoint": {"B11", by("last-state"), func(w *enginetest.SessionJob) {
			w.Checkpointed("file:///c/chk-7")
		}, "file:///c/chk-7"},
		"does not run, and has none": {"B11", by("savepoint"), func(*enginetest.SessionJob) {}, "file:///s/savepoint-1"},
		"does not run, and Flink would delete its checkpoint": {"B11b", by("savepoint"), func(w *enginetest.SessionJob) {
			w.Checkpointed("file:///c/chk-7")
			w.Snapshot.Flink.Retention = plan.Present(upgrade.Retention{Failed: true, Periodic: true})
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
			w.Sleep(2 * time.Minute) // the readiness timeout passes
			if retry := w.Snapshot.Resource.Status.Retry; retry != nil {
				retry.After.Time = w.Snapshot.Now.Add(time.Hour) // what was refused is not tried again before
			}
			before := len(w.Runs)
			w.Refuses = ""
			w.Run()
			answer := drawing.Row{"answer": "waits", "stop": "-"}
			if w.RolledBack() {
				answer = drawing.Row{"answer": "begins"}
			}
			says := w.Condition("Reconciling") + w.Condition("Stalled")
			if strings.Contains(says, string(plan.ReasonRollbackImpossible)+": ") {
				answer["answer"] = "refuses"
			}
			if err := drawn.Holds(row.row, answer); err != nil {
				t.Fatalf("%v; conditions %+v, rounds %q", err, w.Status().Conditions, w.Log)
			}
			if answer["answer"] != "begins" {
				if !strings.Contains(says, row.says) || says == "" {
					t.Errorf("status says %q, want %q", says, row.says)
				}
				return
			}
			w.UntilSteady()
			w.Want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
			last := w.Runs[len(w.Runs)-1]
			if len(w.Runs) != before+1 || last.Parallelism != 2 || last.SavepointPath != row.says ||
				len(w.Running()) != 1 {
				t.Errorf("runs %+v, jobs %+v, want one from %q", w.Runs[before:], w.Jobs, row.says)
			}
		})
	}
	if err := drawn.Shown("choose", shown...); err != nil {
		t.Error(err)
	}
}
