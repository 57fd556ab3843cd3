package loss_test

import (
	"strconv"
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
)

// TestAJobThatBeganAgainIsTold is of JobManagers that are replaced while nothing is under way.
func TestAJobThatBeganAgainIsTold(t *testing.T) {
	rows := map[string]struct {
		spec   string
		told   int
		reason string
	}{
		"keeps its state": {enginetest.Stateful, 1, "it began from what it was given, or from nothing"},
		"keeps none":      {enginetest.Application, 0, "there is nothing to lose"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.BeginsAnew()
			for range 3 {
				if p := w.Run(); enginetest.Touches(p) {
					t.Errorf("the job is left alone, got %s", p)
				}
			}
			if got := w.Told("JobRestarted"); got != row.told {
				t.Errorf("it is told %d times, want %d: %s", got, row.told, row.reason)
			}
			c := w.Condition(summary.StateSafe)
			if (c.Status == "False" && c.Reason == "JobRestarted" &&
				strings.Contains(c.Message, "savepointRedeployNonce")) != (row.told > 0) {
				t.Errorf("condition %+v: %s", c, row.reason)
			}
			if w.Status().Situation != string(plan.Steady) || w.Condition(summary.Ready).Status != "True" {
				t.Errorf("the job runs: %s, %+v", w.Status().Situation, w.Status().Conditions)
			}
		})
	}
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
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Knows(row.known)
			w.BeginsAnew()
			w.Snapshot.Flink.Checkpoints = silent
			w.Run()
			if c := w.Condition(summary.Reconciling); c.Reason != string(plan.ReasonRestoreNotShown) {
				t.Fatalf("before Flink says it: %+v", w.Status().Conditions)
			}
			w.Snapshot.Now, w.Snapshot.Flink.Checkpoints = w.Snapshot.Now.Add(row.after), row.statistics
			for range 3 {
				if p := w.Run(); enginetest.Touches(p) {
					t.Errorf("the job is left alone, got %s", p)
				}
			}
			c, situation, told := w.Condition(summary.StateSafe), w.Status().Situation, w.Told("JobRestarted")
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
				if situation != string(plan.Steady) || c.Type != "" || told != 0 || w.Status().LostProgress != nil {
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
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.Lose()
	w.Snapshot.HAData = enginetest.Without(enginetest.HaMaps(w.Status().JobStatus.JobID))
	w.Run()
	if from := w.From(); from.Reason != "NoCheckpointYet" {
		t.Fatalf("it starts from %+v, rounds %q", from, w.Log)
	}
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	if c := w.Condition(summary.StateSafe); w.Told("JobRestarted") != 1 || c.Reason != "JobRestarted" {
		t.Errorf("told %d times, %+v; rounds %q", w.Told("JobRestarted"), c, w.Log)
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
			w := enginetest.NewDeployment(t, enginetest.HighlyAvailable)
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(row.since)
			w.Lose()
			w.Snapshot.HAData = enginetest.Without(enginetest.HaMaps(w.Status().JobStatus.JobID))
			w.Run()
			if from := w.From(); from.Reason != "NoCheckpointYet" {
				t.Fatalf("it starts from %+v, rounds %q", from, w.Log)
			}
			w.Run()
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Second)
			w.Run()
			unsafe := w.Condition(summary.StateSafe).Reason == "JobRestarted"
			if told := w.Told("JobRestarted"); told != row.told || unsafe != (row.told > 0) {
				t.Errorf("told %d times, want %d: %+v; rounds %q", told, row.told, w.Status().Conditions, w.Log)
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
			plan.Present(
				world.Checkpoints{Path: "s3://s/savepoint-1", Completed: enginetest.Start},
			), plan.ReasonCheckpointPending,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.Without(enginetest.HaMaps(w.Status().JobStatus.JobID))
			w.Snapshot.Flink.Checkpoints = row.checkpoints
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			i, c := w.Status().Intent, w.Condition(summary.Reconciling)
			if stops := i != nil && i.Step == v1beta1.StepStopping; stops != (row.reason == "") {
				t.Errorf("stops: %t, %+v, rounds %q", stops, c, w.Log)
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
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.Without(enginetest.HaMaps(w.Status().JobStatus.JobID))
			w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			w.Edit(enginetest.UpgradeImage)
			w.RefusedRound()
			if i := w.Status().Intent; i == nil || i.Stop != v1beta1.StopLastState {
				t.Fatalf("intent %+v, rounds %q", i, w.Log)
			}
			if row.refused > 0 {
				w.Snapshot.Now = w.Snapshot.Now.Add(row.refused)
				w.RefusedRound()
			}
			w.Lose()
			w.Run()
			if from := w.From(); from.Reason != "NoCheckpointYet" {
				t.Fatalf("it starts from %+v, rounds %q", from, w.Log)
			}
			w.Run()
			w.BeginsAnew()
			w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Second)
			w.Run()
			if told := w.Told("JobRestarted"); told != row.told {
				t.Errorf("told %d times, want %d: %+v; rounds %q", told, row.told, w.Status().Conditions, w.Log)
			}
		})
	}
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
	runs := func(w *enginetest.Deployment) {
		w.BeginsAnew()
		w.Snapshot.Flink.Checkpoints = enginetest.RestoredFromItsOwn
	}
	lost := func(w *enginetest.Deployment) { w.Lose() }
	refuses := func(w *enginetest.Deployment) {
		w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
		runs(w)
	}
	forgets := func(then func(*enginetest.Deployment)) func(*enginetest.Deployment) {
		return func(w *enginetest.Deployment) {
			w.Knows("file:///c/1/chk-1")
			before := w.Snapshot.HAData
			w.Snapshot.HAData, w.Snapshot.Flink = enginetest.Without(
				enginetest.HaMaps(w.Status().JobStatus.JobID),
			), world.Flink{}
			w.Run()
			w.Snapshot.HAData = before
			then(w)
		}
	}
	rows := map[string]struct {
		again  bool
		then   func(*enginetest.Deployment)
		told   int
		reason string
	}{
		"the same, and it runs":           {false, runs, 0, "its JobManager failed over"},
		"another, and it runs":            {true, runs, 1, "it began again from nothing"},
		"another, and it is recovered":    {true, lost, 1, "the second run is lost, too"},
		"another, and Flink refuses":      {true, refuses, 0, "it has begun nothing"},
		"named none, and it runs":         {false, forgets(runs), 1, "as it failed for good, its checkpoints went"},
		"named none, and it is recovered": {false, forgets(lost), 1, "the run after that is lost, too"},
		"the same, and it is recovered":   {false, lost, 0, "its data outlives its Deployment"},
		"another, and a new spec recovers": {
			true,
			func(w *enginetest.Deployment) { w.Lose(); w.Edit(enginetest.UpgradeImage) },
			1,
			"the same",
		},
		"the same, and a new spec recovers": {
			false,
			func(w *enginetest.Deployment) { w.Lose(); w.Edit(enginetest.UpgradeImage) },
			0,
			"the same",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Run()
			if w.Status().JobStatus.HighAvailabilityData == nil {
				t.Fatalf("the data of a job that runs is not recorded: %+v", w.Status().JobStatus)
			}
			if row.again {
				w.Snapshot.HAData = madeAgain(enginetest.HaMaps(w.Status().JobStatus.JobID))
			}
			row.then(w)
			for range 3 {
				w.Run()
			}
			c := w.Condition(summary.StateSafe)
			if w.Told("JobRestarted") != row.told || (c.Reason == "JobRestarted") != (row.told > 0) {
				t.Errorf("told %d times, %+v: %s; rounds %q", w.Told("JobRestarted"), c, row.reason, w.Log)
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
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Knows(row.known)
			w.ServeJob(v1beta1.FlinkJobRunning)
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].StartTime = strconv.FormatInt(w.Snapshot.Now.UnixMilli(), 10)
			w.Snapshot.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
			w.Run()
			w.Lose()
			for range 3 {
				w.Run()
			}
			c := w.Condition(summary.StateSafe)
			unknown := c.Status == "Unknown" && c.Reason == "RestoreNotShown"
			if w.Told("RestoreNotShown") != row.told || unknown != (row.told > 0) {
				t.Errorf("told %d times, %+v: %s; rounds %q", w.Told("RestoreNotShown"), c, row.reason, w.Log)
			}
			w.Edit(enginetest.UpgradeImage)
			if w.Follow(); w.Condition(summary.StateSafe).Type != "" {
				t.Errorf("after a newer spec: %+v", w.Condition(summary.StateSafe))
			}
		})
	}
}

// A job began again, and ended before Flink has shown what it was restored from. Once its Deployment is gone, or Flink
// runs it once more, nobody can find that out.
func TestARestoreOfAJobThatHasEndedIsTold(t *testing.T) {
	for name, then := range map[string]func(w *enginetest.Deployment){
		"its Deployment is gone": (*enginetest.Deployment).Lose,
		"Flink runs it again": func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobRunning)
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].StartTime = "1700000300000"
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			for _, state := range []v1beta1.FlinkJobState{v1beta1.FlinkJobRunning, v1beta1.FlinkJobFinished} {
				w.ServeJob(state)
				jobs, _ := w.Snapshot.Flink.Jobs.Get()
				jobs[0].StartTime = "1700000100000"
				w.Snapshot.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
				w.Run()
			}
			if told := w.Told("RestoreNotShown"); told != 0 {
				t.Fatalf("told %d times while Flink may yet show it, rounds %q", told, w.Log)
			}
			then(w)
			for range 3 {
				w.Run()
			}
			if c := w.Condition(summary.StateSafe); w.Told("RestoreNotShown") != 1 || c.Status != "Unknown" {
				t.Errorf("told %d times, %+v, rounds %q", w.Told("RestoreNotShown"), c, w.Log)
			}
		})
	}
}

// A change takes a job down for its high-availability data, and no checkpoint of its own is known. Where Flink did not
// list the job then, it may have made its first one, failed for good, and Flink have removed it from the data.
func TestAnUnlistedJobsChangeKeepsItsRestore(t *testing.T) {
	began := plan.Present(world.Checkpoints{Restored: &world.Restored{Number: 1, Path: "s3://s/1", Savepoint: true}})
	rows := map[string]struct {
		gone     func(w *enginetest.Deployment)
		restored plan.Observed[world.Checkpoints]
		told     int
		reason   string
	}{
		"from what it was given":   {(*enginetest.Deployment).Crash, began, 1, "what it had completed is lost, if it had"},
		"from nothing":             {(*enginetest.Deployment).Crash, plan.Absent[world.Checkpoints](), 1, "the same"},
		"from its own":             {(*enginetest.Deployment).Crash, enginetest.RestoredFromItsOwn, 0, "the data names it"},
		"the Deployment is lost":   {(*enginetest.Deployment).Lose, began, 1, "nobody could look, either"},
		"it was listed as it ends": {func(*enginetest.Deployment) {}, began, 0, "it had completed none"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Knows("")
			w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = "s3://s/1"
			row.gone(w)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			if i := w.Status().Intent; i != nil && i.Step == v1beta1.StepStopping {
				w.Terminate()
				w.Run()
			}
			if from := w.From(); from.Reason != "HighAvailabilityData" {
				t.Fatalf("it starts from %+v, rounds %q", from, w.Log)
			}
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Snapshot.Flink.Checkpoints = row.restored
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Second)
			w.Run()
			c := w.Condition(summary.StateSafe)
			if w.Told("JobRestarted") != row.told || (c.Reason == "JobRestarted") != (row.told > 0) {
				t.Errorf("told %d times, %+v: %s; rounds %q", w.Told("JobRestarted"), c, row.reason, w.Log)
			}
		})
	}
}

// A job that began again without its checkpoints, was told, and begins again: what it lost then is told, too, and a
// newer spec that knew only of the first loss does not end it.
func TestASecondLossIsTold(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	nothing := plan.Absent[world.Checkpoints]()
	for _, began := range []string{"1700000100000", "1700000200000"} {
		w.ServeJob(v1beta1.FlinkJobRunning)
		jobs, _ := w.Snapshot.Flink.Jobs.Get()
		jobs[0].StartTime = began
		w.Snapshot.Flink.Checkpoints = nothing
		w.Run()
		if began == "1700000200000" {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint })
		}
		w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Second)
		w.Run()
	}
	if c := w.Condition(summary.StateSafe); w.Told("JobRestarted") != 2 || c.Reason != "JobRestarted" {
		t.Errorf("told %d times, %+v", w.Told("JobRestarted"), c)
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
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			for i, seen := range []plan.Observed[world.Checkpoints]{
				plan.Absent[world.Checkpoints](), plan.Unknown[world.Checkpoints]("time-out"),
			} {
				w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = row.given
				w.Knows(row.known)
				w.ServeJob(v1beta1.FlinkJobRunning)
				jobs, _ := w.Snapshot.Flink.Jobs.Get()
				jobs[0].StartTime = strconv.FormatInt(w.Snapshot.Now.UnixMilli()+int64(i), 10)
				w.Snapshot.Flink.Checkpoints = seen
				w.Run()
				w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Second)
				w.Run()
			}
			if told := w.Told("JobRestarted"); told != 1 {
				t.Fatalf("the first one was told %d times: %+v", told, w.Status().Conditions)
			}
			w.Crash()
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.Lose()
			w.Run()
			c := w.Condition(summary.StateSafe)
			if told := w.Told("RestoreNotShown"); told != row.told || (c.Type != "") != (row.told > 0) {
				t.Errorf("the second one was told %d times, want %d: %+v, rounds %q", told, row.told, c, w.Log)
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
			w := enginetest.Stable(
				t,
				enginetest.With(enginetest.HighlyAvailable, `"upgradeMode":"last-state"`, `"upgradeMode":"savepoint"`),
			)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.BeginsAnew()
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].State = row.state
			w.Snapshot.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			if waits := w.Status().Intent == nil; waits != row.waits {
				t.Errorf("it waits: %t, want %t; rounds %q", waits, row.waits, w.Log)
			}
		})
	}
}

// Who chooses another state does not wait for what the job was restored from.
func TestARedeployDoesNotWaitForTheRestore(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.BeginsAnew()
	w.Snapshot.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
	w.Run()
	nonce := int64(1)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///c/7", &nonce
	})
	w.Run()
	if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeRedeploy {
		t.Errorf("intent %+v, rounds %q", i, w.Log)
	}
}

// The next start takes the state that a person chose, or that the job has then: there is nothing more to tell.
func TestTheNextStartEndsWhatWasLost(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.BeginsAnew()
	w.Run()
	nonce := int64(1)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///c/7", &nonce
	})
	if from, _ := w.Follow(); from != "Savepoint file:///c/7" {
		t.Fatalf("it starts from %q; rounds %q", from, w.Log)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	if c := w.Condition(summary.StateSafe); c.Type != "" || w.Status().LostProgress != nil {
		t.Errorf("condition %+v, %+v", c, w.Status().LostProgress)
	}
}

// A change that was there before the loss was seen goes on from what is left, and does not end what is told.
func TestAnUnknowingChangeEndsNoLoss(t *testing.T) {
	w := enginetest.Stable(
		t,
		enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].StartTime = "1800000000000"
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	jobs[0].State, jobs[0].EndTime = v1beta1.FlinkJobCanceled, w.Snapshot.Now.Add(-time.Minute)
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/1/chk-1"})
	w.Run()
	w.Terminate()
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	if s := w.Status(); s.LifecycleState != v1beta1.LifecycleStable ||
		w.Condition(summary.StateSafe).Reason != "JobRestarted" {
		t.Errorf("%s, %+v, rounds %q", s.LifecycleState, w.Condition(summary.StateSafe), w.Log)
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
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Knows("file:///c/1/chk-7")
			w.Snapshot.Now = w.Snapshot.Now.Add(row.ran)
			w.BeginsAnew()
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].State = row.seen
			w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			w.Run()
			w.Snapshot.Now, jobs[0].State = w.Snapshot.Now.Add(row.until), running
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			w.Run()
			if told := w.Told("JobRestarted"); told != row.told {
				t.Errorf("told %d times, want %d: %+v; rounds %q", told, row.told, w.Status().Conditions, w.Log)
			}
		})
	}
}
