package deployment

import (
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// beginsAnew lets Flink list the job under another start time.
func (w *fixture) beginsAnew() {
	w.serveJob(v1beta1.FlinkJobRunning)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].StartTime = "1700000100000"
}

// TestAJobThatBeganAgainIsTold is of JobManagers that are replaced while nothing is under way.
func TestAJobThatBeganAgainIsTold(t *testing.T) {
	rows := map[string]struct {
		spec   string
		told   int
		reason string
	}{
		"keeps its state": {stateful, 1, "it began from what it was given, or from nothing"},
		"keeps none":      {application, 0, "there is nothing to lose"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.beginsAnew()
			for range 3 {
				if p := w.run(); touches(p) {
					t.Errorf("the job is left alone, got %s", p)
				}
			}
			if got := w.told("JobRestarted"); got != row.told {
				t.Errorf("it is told %d times, want %d: %s", got, row.told, row.reason)
			}
			c := w.condition(summary.StateSafe)
			if (c.Status == "False" && c.Reason == "JobRestarted" &&
				strings.Contains(c.Message, "savepointRedeployNonce")) != (row.told > 0) {
				t.Errorf("condition %+v: %s", c, row.reason)
			}
			if w.status().Situation != string(plan.Steady) || w.condition(summary.Ready).Status != "True" {
				t.Errorf("the job runs: %s, %+v", w.status().Situation, w.status().Conditions)
			}
		})
	}
}

// restoredFromItsOwn are the statistics of a job that was restored from a checkpoint of its own.
var restoredFromItsOwn = plan.Present(
	world.Checkpoints{Restored: &world.Restored{Number: 2, Path: "file:///c/1/chk-2"}},
)

// knows lets status know a checkpoint that the job has completed.
func (w *fixture) knows(path string) {
	job := &w.s.Resource.Status.JobStatus
	job.Checkpoint = &v1beta1.KnownCheckpoint{JobID: job.JobID, Path: path}
}

// TestWhatAnHAJobWasRestoredFrom is of jobs that had completed a checkpoint, and began again.
func TestWhatAnHAJobWasRestoredFrom(t *testing.T) {
	const known, later = "file:///c/1/chk-7", 10 * time.Second
	restored := func(number int64, path string) plan.Observed[world.Checkpoints] {
		return plan.Present(world.Checkpoints{Restored: &world.Restored{Number: number, Path: path}})
	}
	savepoint := plan.Present(world.Checkpoints{
		Restored: &world.Restored{Number: 9, Path: "s3://s/1", Savepoint: true},
	})
	nothing, silent := plan.Absent[world.Checkpoints](), plan.Unknown[world.Checkpoints]("time-out")
	rows := map[string]struct {
		known      string
		statistics plan.Observed[world.Checkpoints]
		after      time.Duration
		want       string
	}{
		"from the newest":             {known, restored(7, known), 0, ""},
		"from a newer one":            {known, restored(8, "file:///c/1/chk-8"), 0, ""},
		"from an older one":           {known, restored(2, "file:///c/1/chk-2"), 0, "from file:///c/1/chk-2"},
		"from one without an address": {known, restored(7, ""), 0, ""},
		"from a savepoint":            {known, savepoint, 0, "from s3://s/1"},
		"from nothing":                {known, nothing, later, "without state"},
		"from nothing, and has begun a checkpoint": {
			known, plan.Present(world.Checkpoints{Path: "file:///c/1/chk-1"}), later, "without state",
		},
		"from one that it made itself, the numbers began anew": {
			known,
			plan.Present(world.Checkpoints{Restored: &world.Restored{Number: 9, Path: "file:///c/1/chk-9"}, First: 5}),
			0,
			"without state",
		},
		"from one that it made itself, the numbers went on": {
			known,
			plan.Present(world.Checkpoints{Restored: &world.Restored{Number: 9, Path: "file:///c/1/chk-9"}, First: 8}),
			0,
			"",
		},
		"from the newest, after attempts that got no number": {
			known, plan.Present(world.Checkpoints{
				Restored: &world.Restored{Number: 7, Path: known, Times: 1}, First: 5, FirstLatest: 8,
			}), 0, "",
		},
		"from the newest, after as many of them as the numbers allow": {
			known, plan.Present(world.Checkpoints{
				Restored: &world.Restored{Number: 7, Path: known, Times: 1}, First: 2, FirstLatest: 8,
			}), 0, "",
		},
		"from one that it may have made itself": {
			known, plan.Present(world.Checkpoints{
				Restored: &world.Restored{Number: 9, Path: "file:///c/1/chk-9", Times: 2}, First: 5, FirstLatest: 8,
			}), 0, "unknown",
		},
		"from nothing, maybe":                 {known, nothing, time.Second, "?"},
		"nobody knows":                        {known, silent, later, "?"},
		"no path is known, from a checkpoint": {"", restored(3, known), 0, ""},
		"no path is known, from a savepoint":  {"", savepoint, 0, "from s3://s/1"},
		"no path is known, from nothing":      {"", nothing, later, "without state"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.knows(row.known)
			w.beginsAnew()
			w.s.Flink.Checkpoints = silent
			w.run()
			if c := w.condition(summary.Reconciling); c.Reason != string(plan.ReasonRestoreNotShown) {
				t.Fatalf("before Flink says it: %+v", w.status().Conditions)
			}
			w.s.Now, w.s.Flink.Checkpoints = w.s.Now.Add(row.after), row.statistics
			for range 3 {
				if p := w.run(); touches(p) {
					t.Errorf("the job is left alone, got %s", p)
				}
			}
			c, situation, told := w.condition(summary.StateSafe), w.status().Situation, w.told("JobRestarted")
			switch row.want {
			case "unknown":
				if situation != string(plan.Steady) || c.Status != metav1.ConditionUnknown || told != 0 {
					t.Errorf("%s, %+v, told %d times; nobody can find it out any more", situation, c, told)
				}
			case "?":
				if situation != string(plan.Waiting) || c.Type != "" || told != 0 {
					t.Errorf("%s, %+v, told %d times; nothing is known yet", situation, c, told)
				}
			case "":
				if situation != string(plan.Steady) || c.Type != "" || told != 0 || w.status().LostProgress != nil {
					t.Errorf("%s, %+v, told %d times; nothing was lost", situation, c, told)
				}
			default:
				if situation != string(plan.Steady) || c.Reason != "JobRestarted" || told != 1 ||
					!strings.Contains(c.Message, "the job began again "+row.want+":") {
					t.Errorf("%s, %+v, told %d times; want %q", situation, c, told, row.want)
				}
			}
		})
	}
}

// The Deployment of a job that ran is lost, and its high-availability data names no checkpoint: the job may have made
// its first one, failed for good, and Flink have removed it from the data, all since the last look.
func TestARecoveryWithoutACheckpointIsTold(t *testing.T) {
	w := stable(t, highlyAvailable)
	w.lose()
	w.s.HAData = without(haMaps(w.status().JobStatus.JobID))
	w.run()
	if from := w.from(); from.Reason != "NoCheckpointYet" {
		t.Fatalf("it starts from %+v, rounds %q", from, w.log)
	}
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	if c := w.condition(summary.StateSafe); w.told("JobRestarted") != 1 || c.Reason != "JobRestarted" {
		t.Errorf("told %d times, %+v; rounds %q", w.told("JobRestarted"), c, w.log)
	}
}

// No status could be written while the first run of a job ran, and its Deployment is lost: the job may have completed a
// checkpoint and failed for good, as its JobManager was told to end.
func TestARecoveryOfARunThatNobodySaw(t *testing.T) {
	rows := map[string]struct {
		since time.Duration
		told  int
	}{
		"it was released long ago": {30 * time.Second, 1},
		"it was just released":     {time.Second, 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, highlyAvailable)
			w.run()
			w.s.Now = w.s.Now.Add(row.since)
			w.lose()
			w.s.HAData = without(haMaps(w.status().JobStatus.JobID))
			w.run()
			if from := w.from(); from.Reason != "NoCheckpointYet" {
				t.Fatalf("it starts from %+v, rounds %q", from, w.log)
			}
			w.run()
			w.serveJob(v1beta1.FlinkJobRunning)
			w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			w.run()
			w.s.Now = w.s.Now.Add(10 * time.Second)
			w.run()
			unsafe := w.condition(summary.StateSafe).Reason == "JobRestarted"
			if told := w.told("JobRestarted"); told != row.told || unsafe != (row.told > 0) {
				t.Errorf("told %d times, want %d: %+v; rounds %q", told, row.told, w.status().Conditions, w.log)
			}
		})
	}
}

// Flink keeps no savepoint in its high-availability data. A job that has no checkpoint yet is not stopped before it is
// known that it has none.
func TestAStopWaitsForWhatFlinkAloneKnows(t *testing.T) {
	rows := map[string]struct {
		checkpoints plan.Observed[world.Checkpoints]
		reason      plan.Reason
	}{
		"it has none":       {plan.Absent[world.Checkpoints](), ""},
		"it cannot be read": {plan.Unknown[world.Checkpoints]("503"), plan.ReasonCheckpointsUnknown},
		"it has a savepoint": {
			plan.Present(world.Checkpoints{Path: "s3://s/savepoint-1", Completed: start}), plan.ReasonCheckpointPending,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = without(haMaps(w.status().JobStatus.JobID))
			w.s.Flink.Checkpoints = row.checkpoints
			w.edit(upgradeImage)
			w.run()
			i, c := w.status().Intent, w.condition(summary.Reconciling)
			if stops := i != nil && i.Step == v1beta1.StepStopping; stops != (row.reason == "") {
				t.Errorf("stops: %t, %+v, rounds %q", stops, c, w.log)
			}
			if row.reason != "" && c.Reason != string(row.reason) {
				t.Errorf("it waits for %+v, want %s", c, row.reason)
			}
		})
	}
}

// The takedown of a job that has no checkpoint yet is refused for a while, and then somebody deletes its Deployment:
// the job may have completed its first checkpoint, and failed for good, in between.
func TestAStopThatIsHeldUp(t *testing.T) {
	rows := map[string]struct {
		refused time.Duration
		told    int
	}{
		"for seconds":                   {3 * time.Second, 1},
		"for no more than a pass takes": {2 * time.Second, 0},
		"not at all":                    {0, 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = without(haMaps(w.status().JobStatus.JobID))
			w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			w.edit(upgradeImage)
			w.refusedRound()
			if i := w.status().Intent; i == nil || i.Stop != v1beta1.StopLastState {
				t.Fatalf("intent %+v, rounds %q", i, w.log)
			}
			if row.refused > 0 {
				w.s.Now = w.s.Now.Add(row.refused)
				w.refusedRound()
			}
			w.lose()
			w.run()
			if from := w.from(); from.Reason != "NoCheckpointYet" {
				t.Fatalf("it starts from %+v, rounds %q", from, w.log)
			}
			w.run()
			w.beginsAnew()
			w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			w.run()
			w.s.Now = w.s.Now.Add(10 * time.Second)
			w.run()
			if told := w.told("JobRestarted"); told != row.told {
				t.Errorf("told %d times, want %d: %+v; rounds %q", told, row.told, w.status().Conditions, w.log)
			}
		})
	}
}

// without are the same ConfigMaps without a checkpoint.
func without(data plan.Observed[[]hadata.ConfigMap]) plan.Observed[[]hadata.ConfigMap] {
	maps, _ := data.Get()
	for i := range maps {
		maps[i].Checkpoint = false
	}
	return data
}

// madeAgain are the same ConfigMaps, made by Flink again after it had removed them.
func madeAgain(data plan.Observed[[]hadata.ConfigMap]) plan.Observed[[]hadata.ConfigMap] {
	maps, _ := data.Get()
	for i := range maps {
		maps[i].UID += "-again"
	}
	return data
}

// The high-availability data of a job is another one than it ran with, or has named no checkpoint in between: the job
// began again without its checkpoints, whatever Flink shows by now.
func TestTheDataThatAJobRunsWith(t *testing.T) {
	runs := func(w *fixture) { w.beginsAnew(); w.s.Flink.Checkpoints = restoredFromItsOwn }
	lost := func(w *fixture) { w.lose() }
	refuses := func(w *fixture) {
		w.s.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
		runs(w)
	}
	forgets := func(then func(*fixture)) func(*fixture) {
		return func(w *fixture) {
			w.knows("file:///c/1/chk-1")
			before := w.s.HAData
			w.s.HAData, w.s.Flink = without(haMaps(w.status().JobStatus.JobID)), world.Flink{}
			w.run()
			w.s.HAData = before
			then(w)
		}
	}
	rows := map[string]struct {
		again  bool
		then   func(*fixture)
		told   int
		reason string
	}{
		"the same, and it runs":             {false, runs, 0, "its JobManager failed over"},
		"another, and it runs":              {true, runs, 1, "it began again from nothing"},
		"another, and it is recovered":      {true, lost, 1, "the second run is lost, too"},
		"another, and Flink refuses":        {true, refuses, 0, "it has begun nothing"},
		"named none, and it runs":           {false, forgets(runs), 1, "as it failed for good, its checkpoints went"},
		"named none, and it is recovered":   {false, forgets(lost), 1, "the run after that is lost, too"},
		"the same, and it is recovered":     {false, lost, 0, "its data outlives its Deployment"},
		"another, and a new spec recovers":  {true, func(w *fixture) { w.lose(); w.edit(upgradeImage) }, 1, "the same"},
		"the same, and a new spec recovers": {false, func(w *fixture) { w.lose(); w.edit(upgradeImage) }, 0, "the same"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.run()
			if w.status().JobStatus.HighAvailabilityData == nil {
				t.Fatalf("the data of a job that runs is not recorded: %+v", w.status().JobStatus)
			}
			if row.again {
				w.s.HAData = madeAgain(haMaps(w.status().JobStatus.JobID))
			}
			row.then(w)
			for range 3 {
				w.run()
			}
			c := w.condition(summary.StateSafe)
			if w.told("JobRestarted") != row.told || (c.Reason == "JobRestarted") != (row.told > 0) {
				t.Errorf("told %d times, %+v: %s; rounds %q", w.told("JobRestarted"), c, row.reason, w.log)
			}
		})
	}
}

// A job began again, and its JobManager is lost once more before Flink has shown what it was restored from. Nobody can
// find that out any more, unless the run was too short to have made as many checkpoints as are known.
func TestARestoreThatNobodySawIsTold(t *testing.T) {
	rows := map[string]struct {
		known  string
		told   int
		reason string
	}{
		"no checkpoint is known": {"", 1, "its own may have been the first"},
		"the second one is":      {"file:///c/1/chk-2", 1, "it may have made two"},
		"the thousandth is":      {"file:///c/1/chk-1000", 0, "it cannot have made that many, so they are those of before"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.knows(row.known)
			w.serveJob(v1beta1.FlinkJobRunning)
			jobs, _ := w.s.Flink.Jobs.Get()
			jobs[0].StartTime = strconv.FormatInt(w.s.Now.UnixMilli(), 10)
			w.s.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
			w.run()
			w.lose()
			for range 3 {
				w.run()
			}
			c := w.condition(summary.StateSafe)
			unknown := c.Status == "Unknown" && c.Reason == "RestoreNotShown"
			if w.told("RestoreNotShown") != row.told || unknown != (row.told > 0) {
				t.Errorf("told %d times, %+v: %s; rounds %q", w.told("RestoreNotShown"), c, row.reason, w.log)
			}
			w.edit(upgradeImage)
			if w.follow(); w.condition(summary.StateSafe).Type != "" {
				t.Errorf("after a newer spec: %+v", w.condition(summary.StateSafe))
			}
		})
	}
}

// A job began again, and ended before Flink has shown what it was restored from. Once its Deployment is gone, or Flink
// runs it once more, nobody can find that out.
func TestARestoreOfAJobThatHasEndedIsTold(t *testing.T) {
	for name, then := range map[string]func(w *fixture){
		"its Deployment is gone": (*fixture).lose,
		"Flink runs it again": func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobRunning)
			jobs, _ := w.s.Flink.Jobs.Get()
			jobs[0].StartTime = "1700000300000"
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			for _, state := range []v1beta1.FlinkJobState{v1beta1.FlinkJobRunning, v1beta1.FlinkJobFinished} {
				w.serveJob(state)
				jobs, _ := w.s.Flink.Jobs.Get()
				jobs[0].StartTime = "1700000100000"
				w.s.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
				w.run()
			}
			if told := w.told("RestoreNotShown"); told != 0 {
				t.Fatalf("told %d times while Flink may yet show it, rounds %q", told, w.log)
			}
			then(w)
			for range 3 {
				w.run()
			}
			if c := w.condition(summary.StateSafe); w.told("RestoreNotShown") != 1 || c.Status != "Unknown" {
				t.Errorf("told %d times, %+v, rounds %q", w.told("RestoreNotShown"), c, w.log)
			}
		})
	}
}

// A change takes a job down for its high-availability data, and no checkpoint of its own is known. Where Flink did not
// list the job then, it may have made its first one, failed for good, and Flink have removed it from the data.
func TestAnUnlistedJobsChangeKeepsItsRestore(t *testing.T) {
	began := plan.Present(world.Checkpoints{Restored: &world.Restored{Number: 1, Path: "s3://s/1", Savepoint: true}})
	rows := map[string]struct {
		gone     func(w *fixture)
		restored plan.Observed[world.Checkpoints]
		told     int
		reason   string
	}{
		"from what it was given":   {(*fixture).crash, began, 1, "what it had completed is lost, if it had"},
		"from nothing":             {(*fixture).crash, plan.Absent[world.Checkpoints](), 1, "the same"},
		"from its own":             {(*fixture).crash, restoredFromItsOwn, 0, "the data names it"},
		"the Deployment is lost":   {(*fixture).lose, began, 1, "nobody could look, either"},
		"it was listed as it ends": {func(*fixture) {}, began, 0, "it had completed none"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.knows("")
			w.s.Resource.Status.JobStatus.UpgradeSavepointPath = "s3://s/1"
			row.gone(w)
			w.edit(upgradeImage)
			w.run()
			if i := w.status().Intent; i != nil && i.Step == v1beta1.StepStopping {
				w.terminate()
				w.run()
			}
			if from := w.from(); from.Reason != "HighAvailabilityData" {
				t.Fatalf("it starts from %+v, rounds %q", from, w.log)
			}
			w.serveJob(v1beta1.FlinkJobRunning)
			w.s.Flink.Checkpoints = row.restored
			w.run()
			w.s.Now = w.s.Now.Add(10 * time.Second)
			w.run()
			c := w.condition(summary.StateSafe)
			if w.told("JobRestarted") != row.told || (c.Reason == "JobRestarted") != (row.told > 0) {
				t.Errorf("told %d times, %+v: %s; rounds %q", w.told("JobRestarted"), c, row.reason, w.log)
			}
		})
	}
}

// crash lets the JobManager's pod fail for a while: nobody answers.
func (w *fixture) crash() {
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.AvailableReplicas = 0
	w.s.JobManager, w.s.Flink = plan.Present(jm), world.Flink{}
	w.s.Now = w.s.Now.Add(2 * time.Minute)
	w.run()
}

// A job that began again without its checkpoints, was told, and begins again: what it lost then is told, too, and a
// newer spec that knew only of the first loss does not end it.
func TestASecondLossIsTold(t *testing.T) {
	w := stable(t, highlyAvailable)
	nothing := plan.Absent[world.Checkpoints]()
	for _, began := range []string{"1700000100000", "1700000200000"} {
		w.serveJob(v1beta1.FlinkJobRunning)
		jobs, _ := w.s.Flink.Jobs.Get()
		jobs[0].StartTime = began
		w.s.Flink.Checkpoints = nothing
		w.run()
		if began == "1700000200000" {
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint })
		}
		w.s.Now = w.s.Now.Add(10 * time.Second)
		w.run()
	}
	if c := w.condition(summary.StateSafe); w.told("JobRestarted") != 2 || c.Reason != "JobRestarted" {
		t.Errorf("told %d times, %+v", w.told("JobRestarted"), c)
	}
}

// A job that began again without its checkpoints, was told, and begins again ends before Flink has shown what it was
// restored from, for a newer spec. The high-availability data names a checkpoint of that run, so nothing shows any more
// what was lost as it began. Where the start was given a savepoint, its checkpoints go on with the numbers of that one.
func TestASecondLossThatNobodySawIsTold(t *testing.T) {
	for name, row := range map[string]struct {
		given, known string
		told         int
	}{
		"no checkpoint is known":                       {"", "", 1},
		"the thousandth is":                            {"", "file:///c/1/chk-1000", 0},
		"the thousandth is, and a savepoint was given": {"s3://s/1", "file:///c/1/chk-1000", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			for i, seen := range []plan.Observed[world.Checkpoints]{
				plan.Absent[world.Checkpoints](), plan.Unknown[world.Checkpoints]("time-out"),
			} {
				w.s.Resource.Status.JobStatus.UpgradeSavepointPath = row.given
				w.knows(row.known)
				w.serveJob(v1beta1.FlinkJobRunning)
				jobs, _ := w.s.Flink.Jobs.Get()
				jobs[0].StartTime = strconv.FormatInt(w.s.Now.UnixMilli()+int64(i), 10)
				w.s.Flink.Checkpoints = seen
				w.run()
				w.s.Now = w.s.Now.Add(10 * time.Second)
				w.run()
			}
			if told := w.told("JobRestarted"); told != 1 {
				t.Fatalf("the first one was told %d times: %+v", told, w.status().Conditions)
			}
			w.crash()
			w.edit(upgradeImage)
			w.run()
			w.lose()
			w.run()
			c := w.condition(summary.StateSafe)
			if told := w.told("RestoreNotShown"); told != row.told || (c.Type != "") != (row.told > 0) {
				t.Errorf("the second one was told %d times, want %d: %+v, rounds %q", told, row.told, c, w.log)
			}
		})
	}
}

// A change waits for what a job that began again was restored from, for a while: its stop would take the answer away.
func TestAChangeWaitsForTheRestore(t *testing.T) {
	const runs, created = v1beta1.FlinkJobRunning, v1beta1.FlinkJobCreated
	rows := map[string]struct {
		state v1beta1.FlinkJobState
		after time.Duration
		waits bool
	}{
		"at once":                          {runs, 0, true},
		"its tasks do not run yet":         {created, 0, true},
		"Flink cannot say for long":        {runs, 2 * time.Minute, false},
		"its tasks do not run for as long": {created, 2 * time.Minute, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, with(highlyAvailable, `"upgradeMode":"last-state"`, `"upgradeMode":"savepoint"`))
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.beginsAnew()
			jobs, _ := w.s.Flink.Jobs.Get()
			jobs[0].State = row.state
			w.s.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
			w.run()
			w.s.Now = w.s.Now.Add(row.after)
			w.edit(upgradeImage)
			w.run()
			if waits := w.status().Intent == nil; waits != row.waits {
				t.Errorf("it waits: %t, want %t; rounds %q", waits, row.waits, w.log)
			}
		})
	}
}

// Who chooses another state does not wait for what the job was restored from.
func TestARedeployDoesNotWaitForTheRestore(t *testing.T) {
	w := stable(t, highlyAvailable)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.beginsAnew()
	w.s.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
	w.run()
	nonce := int64(1)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///c/7", &nonce
	})
	w.run()
	if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeRedeploy {
		t.Errorf("intent %+v, rounds %q", i, w.log)
	}
}

// The next start takes the state that a person chose, or that the job has then: there is nothing more to tell.
func TestTheNextStartEndsWhatWasLost(t *testing.T) {
	w := stable(t, stateful)
	w.beginsAnew()
	w.run()
	nonce := int64(1)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///c/7", &nonce
	})
	if from, _ := w.follow(); from != "Savepoint file:///c/7" {
		t.Fatalf("it starts from %q; rounds %q", from, w.log)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	if c := w.condition(summary.StateSafe); c.Type != "" || w.status().LostProgress != nil {
		t.Errorf("condition %+v, %+v", c, w.status().LostProgress)
	}
}

// A change that was there before the loss was seen goes on from what is left, and does not end what is told.
func TestAnUnknowingChangeEndsNoLoss(t *testing.T) {
	w := stable(t, with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`))
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].StartTime = "1800000000000"
	w.edit(upgradeImage)
	w.run()
	jobs[0].State, jobs[0].EndTime = v1beta1.FlinkJobCanceled, w.s.Now.Add(-time.Minute)
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/1/chk-1"})
	w.run()
	w.terminate()
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	if s := w.status(); s.LifecycleState != v1beta1.LifecycleStable ||
		w.condition(summary.StateSafe).Reason != "JobRestarted" {
		t.Errorf("%s, %+v, rounds %q", s.LifecycleState, w.condition(summary.StateSafe), w.log)
	}
}

// Flink keeps an answer for some seconds: one that tells of no restore counts once it is newer than both the moment at
// which the job was seen to begin again, and the one at which its tasks ran.
func TestWhenNoRestoreIsShown(t *testing.T) {
	const age = 4 * time.Second // 3 s of web.refresh-interval, and the room
	restarting, running := v1beta1.FlinkJobRestarting, v1beta1.FlinkJobRunning
	rows := map[string]struct {
		ran   time.Duration // before it began again
		seen  v1beta1.FlinkJobState
		until time.Duration // from when it was seen until its tasks ran
		after time.Duration // that
		told  int
	}{
		"just seen":                {time.Hour, running, 0, age - time.Millisecond, 0},
		"seen as long ago":         {time.Hour, running, 0, age, 1},
		"seen, its tasks just run": {0, restarting, time.Hour, age - time.Millisecond, 0},
		"seen, they run as long":   {0, restarting, time.Hour, age, 1},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.knows("file:///c/1/chk-7")
			w.s.Now = w.s.Now.Add(row.ran)
			w.beginsAnew()
			jobs, _ := w.s.Flink.Jobs.Get()
			jobs[0].State = row.seen
			w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			w.run()
			w.s.Now, jobs[0].State = w.s.Now.Add(row.until), running
			w.run()
			w.s.Now = w.s.Now.Add(row.after)
			w.run()
			if told := w.told("JobRestarted"); told != row.told {
				t.Errorf("told %d times, want %d: %+v; rounds %q", told, row.told, w.status().Conditions, w.log)
			}
		})
	}
}
