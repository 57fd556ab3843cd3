package operation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// keeps reports whether the newest checkpoint outlives such an end.
func keeps(r upgrade.Retention, end v1beta1.FlinkJobState) bool {
	return r.Cancelled && end == v1beta1.FlinkJobCanceled || r.Failed && end == v1beta1.FlinkJobFailed
}

// A checkpoint that Flink deletes with the job is lost, whether or not Flink says so yet. No older state takes its
// place.
func TestWhatAJobLosesWithItsEnd(t *testing.T) {
	const began, chk = "file:///given", "file:///c/1/chk-7"
	modes := map[string]string{
		"savepoint": enginetest.Stateful, "savepoint, HA": enginetest.SavesHighlyAvailable,
		"last-state, HA": enginetest.HighlyAvailable,
		"last-state":     enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	}
	ends := []v1beta1.FlinkJobState{v1beta1.FlinkJobFailed, v1beta1.FlinkJobCanceled, v1beta1.FlinkJobFinished}
	for name, r := range enginetest.Retentions {
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
						w := enginetest.Stable(t, enginetest.Given(spec))
						w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
						w.Ends(end, r, c)
						w.EndedWith(want)
					})
				}
			}
		}
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
			spec := enginetest.Stateful
			if row.claims {
				spec = enginetest.With(
					spec,
					`"state.savepoints.dir"`,
					`"execution.savepoint-restore-mode":"CLAIM","state.savepoints.dir"`,
				)
			}
			if strings.HasPrefix(row.path, "file:///c/chk-") {
				spec = enginetest.With(enginetest.Given(spec), "file:///given", "file:///c/chk-3")
				spec = enginetest.With(spec, `"state.savepoints.dir"`,
					`"execution.checkpointing.create-subdir":"false","state.savepoints.dir"`)
			}
			if strings.Contains(name, "standalone mode") {
				spec = enginetest.Standalone(spec)
			}
			w := enginetest.Stable(t, spec)
			path := strings.Replace(row.path, "JOB", w.Status().JobStatus.JobID, 1)
			w.Ends(
				v1beta1.FlinkJobFailed, enginetest.Retentions["NO_EXTERNALIZED_CHECKPOINTS"],
				world.Checkpoints{Path: path, Kind: row.kind},
			)
			if got := w.Status().JobStatus.UpgradeSavepointPath; (got == path) != row.kept {
				t.Errorf("recorded %q, want that it is kept: %t", got, row.kept)
			}
			w.PersonDecides(!row.kept)
		})
	}
}

// A job that fails after a change is rolled back to no older state than the one that it lost.
func TestNoRollbackOfALostState(t *testing.T) {
	w := enginetest.UpgradedBySavepoint(t, enginetest.Rolls(enginetest.Stateful))
	w.Ends(
		v1beta1.FlinkJobFailed, enginetest.Retentions["NO_EXTERNALIZED_CHECKPOINTS"],
		world.Checkpoints{Path: "file:///s/1", Kind: world.KindRestoredSavepoint, Discarded: true},
	)
	w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Minute)
	w.Run()
	if w.Status().Intent != nil || w.Condition(summary.StateSafe).Status != metav1.ConditionFalse {
		t.Errorf("intent %+v, conditions %+v", w.Status().Intent, w.Status().Conditions)
	}
}

// A cancellation that we made ourselves ends with the state lost, too, if it turns out that Flink deleted it.
func TestADeletedCheckpointNeedsAPerson(t *testing.T) {
	w := enginetest.Stable(
		t,
		enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.Ends(
		v1beta1.FlinkJobCanceled,
		enginetest.Retentions["DELETE_ON_CANCELLATION"],
		world.Checkpoints{Path: "file:///c/1/chk-7"},
	)
	if c := w.Condition(summary.Stalled); c.Reason != "CheckpointDiscarded" || w.Snapshot.JobManager.IsAbsent() {
		t.Errorf("stalled %+v, rounds %q", c, w.Log)
	}
	w.PersonDecides(true)
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
			w := enginetest.Stable(
				t,
				enginetest.With(enginetest.Stateful, `"state.savepoints.dir"`, row.option+`"state.savepoints.dir"`),
			)
			w.ServeJob(v1beta1.FlinkJobFailed)
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].EndTime = w.Snapshot.Now.Add(row.skew)
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///chk"})
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			w.Snapshot.Flink.Clock = w.Snapshot.Now.Add(row.skew)
			w.Run()
			if read := w.Status().JobStatus.UpgradeSavepointPath == "file:///chk"; read != row.read ||
				w.Status().JobStatus.LastStateUnread == row.read {
				t.Errorf("read %t, want %t", read, row.read)
			}
		})
	}
}
