package deployment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// retentions are the values of execution.checkpointing.externalized-checkpoint-retention, as Flink tells them.
var retentions = map[string]upgrade.Retention{
	"RETAIN_ON_CANCELLATION":      {Cancelled: true, Failed: true, Periodic: true},
	"DELETE_ON_CANCELLATION":      {Failed: true, Periodic: true},
	"NO_EXTERNALIZED_CHECKPOINTS": {Periodic: true},
}

// keeps reports whether the newest checkpoint outlives such an end.
func keeps(r upgrade.Retention, end v1beta1.FlinkJobState) bool {
	return r.Cancelled && end == v1beta1.FlinkJobCanceled || r.Failed && end == v1beta1.FlinkJobFailed
}

// ends lets the job end a minute ago, with these statistics.
func (w *fixture) ends(end v1beta1.FlinkJobState, r upgrade.Retention, c world.Checkpoints) {
	w.serveJob(end)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].EndTime = w.s.Now.Add(-time.Minute)
	w.s.Flink.Checkpoints, w.s.Flink.Retention = plan.Present(c), plan.Present(r)
	w.run()
}

// A checkpoint that Flink deletes with the job is lost, whether or not Flink says so yet. No older state takes its
// place.
func TestWhatAJobLosesWithItsEnd(t *testing.T) {
	const began, chk = "file:///given", "file:///c/1/chk-7"
	modes := map[string]string{
		"savepoint": stateful, "savepoint, HA": savesHighlyAvailable, "last-state, HA": highlyAvailable,
		"last-state": with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	}
	ends := []v1beta1.FlinkJobState{v1beta1.FlinkJobFailed, v1beta1.FlinkJobCanceled, v1beta1.FlinkJobFinished}
	for name, r := range retentions {
		for mode, spec := range modes {
			for _, end := range ends {
				for _, told := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %s, %s, told %t", name, mode, end, told), func(t *testing.T) {
						c, finished := world.Checkpoints{Path: chk}, end == v1beta1.FlinkJobFinished
						gone := finished || !keeps(r, end)
						if told && gone {
							c = world.Checkpoints{Path: began, Kind: world.KindRestoredSavepoint, Discarded: true}
						}
						want := chk
						switch {
						case finished && told:
							want = began
						case !finished && gone:
							want = v1beta1.LastStatePlaceholder
						}
						w := stable(t, given(spec))
						w.s.HAData = plan.Present([]hadata.ConfigMap{})
						w.ends(end, r, c)
						w.endedWith(want)
					})
				}
			}
		}
	}
}

// endedWith checks what is recorded of a job that has ended, and that an edit starts it from that or, when it is lost,
// not at all.
func (w *fixture) endedWith(want string) {
	w.t.Helper()
	lost, s := want == v1beta1.LastStatePlaceholder, w.status()
	if s.JobStatus.UpgradeSavepointPath != want && (s.Intent == nil || s.Intent.From.Path != want) {
		w.t.Errorf("recorded %q, want %q; rounds %q", s.JobStatus.UpgradeSavepointPath, want, w.log)
	}
	if w.personDecides(lost); lost && (s.Intent != nil || w.told("CheckpointDiscarded") != 1) {
		w.t.Errorf("intent %+v, told %d times", s.Intent, w.told("CheckpointDiscarded"))
	}
	if lost && strings.Contains(w.condition(summary.Stalled).Message, "/chk-") {
		w.t.Errorf("a deleted checkpoint is named: %s", w.condition(summary.Stalled).Message)
	}
	w.edit(upgradeImage)
	w.run()
	if w.personDecides(lost); lost != (w.status().Intent == nil) {
		w.t.Errorf("an edit: intent %+v, rounds %q", w.status().Intent, w.log)
	}
}

// Savepoints, and what the job does not own, outlive every end.
func TestWhatOutlivesAJob(t *testing.T) {
	rows := map[string]struct {
		kind   world.StateKind
		path   string
		claims bool
		kept   bool
	}{
		"a savepoint, restored in standalone mode, where nothing is claimed": {
			world.KindRestoredSavepoint, "file:///s/7", true, true,
		},
		"its checkpoint":                            {world.KindCheckpoint, "file:///c/JOB/chk-7", false, false},
		"its savepoint":                             {world.KindSavepoint, "file:///s/7", false, true},
		"the savepoint of a stop":                   {world.KindStop, "file:///s/7", true, true},
		"another job's checkpoint, restored":        {world.KindRestored, "file:///c/other/chk-7", false, true},
		"its own checkpoint, restored":              {world.KindRestored, "file:///c/JOB/chk-7", false, false},
		"a savepoint, restored":                     {world.KindRestoredSavepoint, "file:///s/7", false, true},
		"a savepoint, restored and claimed":         {world.KindRestoredSavepoint, "file:///s/7", true, false},
		"another job's checkpoint, and claims them": {world.KindRestored, "file:///c/other/chk-7", true, false},
		"its own, in a directory for all":           {world.KindRestored, "file:///c/chk-7", false, false},
		"given, in a directory for all":             {world.KindRestored, "file:///c/chk-3", false, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			spec := stateful
			if row.claims {
				spec = with(spec, `"state.savepoints.dir"`, `"execution.savepoint-restore-mode":"CLAIM","state.savepoints.dir"`)
			}
			if strings.HasPrefix(row.path, "file:///c/chk-") {
				spec = with(given(spec), "file:///given", "file:///c/chk-3")
				spec = with(spec, `"state.savepoints.dir"`,
					`"execution.checkpointing.create-subdir":"false","state.savepoints.dir"`)
			}
			if strings.Contains(name, "standalone mode") {
				spec = standalone(spec)
			}
			w := stable(t, spec)
			path := strings.Replace(row.path, "JOB", w.status().JobStatus.JobID, 1)
			w.ends(
				v1beta1.FlinkJobFailed, retentions["NO_EXTERNALIZED_CHECKPOINTS"],
				world.Checkpoints{Path: path, Kind: row.kind},
			)
			if got := w.status().JobStatus.UpgradeSavepointPath; (got == path) != row.kept {
				t.Errorf("recorded %q, want that it is kept: %t", got, row.kept)
			}
			w.personDecides(!row.kept)
		})
	}
}

// A job that fails after a change is rolled back to no older state than the one that it lost.
func TestNoRollbackOfALostState(t *testing.T) {
	w := upgradedBySavepoint(t, rolls(stateful))
	w.ends(
		v1beta1.FlinkJobFailed, retentions["NO_EXTERNALIZED_CHECKPOINTS"],
		world.Checkpoints{Path: "file:///s/1", Kind: world.KindRestoredSavepoint, Discarded: true},
	)
	w.s.Now = w.s.Now.Add(10 * time.Minute)
	w.run()
	if w.status().Intent != nil || w.condition(summary.StateSafe).Status != metav1.ConditionFalse {
		t.Errorf("intent %+v, conditions %+v", w.status().Intent, w.status().Conditions)
	}
}

// A cancellation that we made ourselves ends with the state lost, too, if it turns out that Flink deleted it.
func TestADeletedCheckpointNeedsAPerson(t *testing.T) {
	w := stable(t, with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`))
	w.edit(upgradeImage)
	w.run()
	w.ends(v1beta1.FlinkJobCanceled, retentions["DELETE_ON_CANCELLATION"], world.Checkpoints{Path: "file:///c/1/chk-7"})
	if c := w.condition(summary.Stalled); c.Reason != "CheckpointDiscarded" || w.s.JobManager.IsAbsent() {
		t.Errorf("stalled %+v, rounds %q", c, w.log)
	}
	w.personDecides(true)
}

// Statistics are as old as web.refresh-interval lets them be, by Flink's clock.
func TestTheStatisticsOfAnEndAreWaitedFor(t *testing.T) {
	rows := map[string]struct {
		option string
		skew   time.Duration
		after  time.Duration
		read   bool
	}{
		"the default, early": {"", 0, 3 * time.Second, false},
		"the default":        {"", 0, 4 * time.Second, true},
		"longer, early":      {`"web.refresh-interval":"30000",`, 0, 30 * time.Second, false},
		"longer":             {`"web.refresh-interval":"30000",`, 0, 31 * time.Second, true},
		"its own option, early": {
			`"rest.cache.checkpoint-statistics.timeout":"1 min","web.refresh-interval":"1 s",`, 0, time.Minute, false,
		},
		"Flink's clock is ahead":       {"", time.Minute, 3 * time.Second, false},
		"Flink's clock is behind":      {"", -time.Minute, 4 * time.Second, true},
		"Flink's clock is far, longer": {`"web.refresh-interval":"30000",`, -time.Hour, 31 * time.Second, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, with(stateful, `"state.savepoints.dir"`, row.option+`"state.savepoints.dir"`))
			w.serveJob(v1beta1.FlinkJobFailed)
			jobs, _ := w.s.Flink.Jobs.Get()
			jobs[0].EndTime = w.s.Now.Add(row.skew)
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///chk"})
			w.s.Now = w.s.Now.Add(row.after)
			w.s.Flink.Clock = w.s.Now.Add(row.skew)
			w.run()
			if read := w.status().JobStatus.UpgradeSavepointPath == "file:///chk"; read != row.read ||
				w.status().JobStatus.LastStateUnread == row.read {
				t.Errorf("read %t, want %t", read, row.read)
			}
		})
	}
}
