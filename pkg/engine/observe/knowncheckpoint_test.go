package observe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// wiped is what Flink leaves of a job that has failed for good while its clean-up is under way: the ConfigMap names no
// checkpoint any more.
func wiped(jobID string) plan.Observed[[]hadata.ConfigMap] {
	maps, _ := enginetest.HaMaps(jobID).Get()
	for i := range maps {
		maps[i].Checkpoint = false
	}
	return plan.Present(maps)
}

// That a checkpoint was completed is known before anything is taken down; that it is gone afterwards is a loss, and not
// a job without state.
func TestAGoneCheckpointIsALoss(t *testing.T) {
	const chk = "s3://c/chk-8"
	upgrade := func(w *enginetest.Deployment, job string) {
		w.Snapshot.HAData = enginetest.HaMaps(job)
		w.Edit(enginetest.UpgradeImage)
		w.Run()
		w.Terminate()
	}
	rows := map[string]struct {
		learn  func(w *enginetest.Deployment)
		stop   func(w *enginetest.Deployment, job string)
		lost   bool
		says   string
		reason string
	}{
		"an upgrade; the data named one": {
			nil, upgrade, true, "HA metadata is not available",
			"it was there when the stop began",
		},
		"an upgrade; the statistics named it, too": {
			func(w *enginetest.Deployment) { w.Statistics(chk) }, upgrade, true, chk,
			"people are told where to look",
		},
		"a lost cluster; the statistics named it once": {
			func(w *enginetest.Deployment) { w.Statistics(chk) },
			func(w *enginetest.Deployment, _ string) { w.Lose() }, true, chk,
			"it was remembered in steady times",
		},
		"a lost cluster that was never seen with one": {
			nil, func(w *enginetest.Deployment, _ string) { w.Lose() }, false, "",
			"there is nothing to lose yet",
		},
		"a lost cluster that only read what it was given": {
			func(w *enginetest.Deployment) { w.Statistics("file:///given") },
			func(w *enginetest.Deployment, _ string) { w.Lose() },
			false,
			"",
			"that is no checkpoint of its own",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Given(enginetest.HighlyAvailable))
			if strings.Contains(name, "never seen") {
				w = enginetest.Stable(t, enginetest.HighlyAvailable)
			}
			job := w.Status().JobStatus.JobID
			if row.learn != nil {
				row.learn(w)
				w.Run()
			}
			row.stop(w, job)
			w.Snapshot.HAData = wiped(job)
			w.Run()
			lost := w.Status().Situation == string(plan.StateLost) && w.Condition(summary.StateSafe).Status == "False"
			if lost != row.lost || !strings.Contains(w.Condition(summary.StateSafe).Message, row.says) {
				t.Errorf(
					"lost %t, want %t: %s; it says %q, rounds %q", lost, row.lost, row.reason,
					w.Condition(summary.StateSafe).Message, w.Log,
				)
			}
		})
	}
}

// A job whose data is gone while it runs is not stopped for a start that could not be.
func TestNoStopForDataWithoutACheckpoint(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.Statistics("s3://c/chk-8")
	w.Snapshot.HAData = wiped(w.Status().JobStatus.JobID)
	w.Edit(enginetest.UpgradeImage)
	p := w.Run()
	if enginetest.Touches(p) || w.Status().Intent != nil ||
		!strings.Contains(w.Condition(summary.StateSafe).Message, "s3://c/chk-8") {
		t.Errorf("got %q, conditions %+v", p, w.Status().Conditions)
	}
}

// A job's first checkpoint is asked for until it is known; a newer one is worth no write of its own, and another job's
// is none.
func TestWhatIsRememberedOfCheckpoints(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	if !deployment.Open(w.Snapshot).Flink().Checkpoints {
		t.Error("nobody asks whether the job has completed one")
	}
	w.Statistics("s3://c/chk-1")
	w.Run()
	known := w.Status().JobStatus.Checkpoint
	if known == nil || known.Path != "s3://c/chk-1" || known.JobID != w.Status().JobStatus.JobID {
		t.Fatalf("remembered %+v", known)
	}
	if deployment.Open(w.Snapshot).Flink().Checkpoints {
		t.Error("it is asked for again and again")
	}
	w.Statistics("s3://c/chk-2")
	if p := w.Run(); p.Status != nil {
		t.Errorf("a newer checkpoint alone was written: %+v", p.Status)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode = v1beta1.UpgradeModeStateless
		enginetest.UpgradeImage(s)
	})
	w.Run()
	w.Terminate()
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
	w.Run()
	if known := w.Status().JobStatus.Checkpoint; known != nil {
		t.Errorf("the next job has completed none, remembered %+v", known)
	}
}

// When a checkpoint was taken is remembered with its path, also where a later answer does not tell it.
func TestWhenACheckpointWasTakenIsRemembered(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	taken := w.Snapshot.Now
	for _, c := range []struct {
		answer world.Checkpoints
		state  v1beta1.FlinkJobState
		known  bool
		reason string
	}{
		{world.Checkpoints{Path: "s3://c/chk-1", Completed: taken}, "RUNNING", true, "Flink tells it"},
		{
			world.Checkpoints{Path: "s3://c/chk-1", Kind: world.KindRestored, Completed: taken.Add(time.Second)},
			"RESTARTING", true, "Flink tells when it was restored",
		},
		{
			world.Checkpoints{Path: "s3://c/chk-2", Kind: world.KindRestored, Completed: taken},
			"RUNNING", false, "nobody knows it of this one",
		},
	} {
		w.ServeJob(c.state)
		w.Snapshot.Flink.Checkpoints = plan.Present(c.answer)
		w.Run()
		k := w.Status().JobStatus.Checkpoint
		if k == nil || k.Path != c.answer.Path || (k.Taken != nil) != c.known || c.known && !k.Taken.Time.Equal(taken) {
			t.Errorf("after %+v it is known as %+v: %s", c.answer, k, c.reason)
		}
		w.Snapshot.Now = w.Snapshot.Now.Add(time.Second)
	}
}

// A job that restarts is asked for its checkpoints, too: it may fail for good before it runs again, and a change goes
// on from the newest.
func TestARestartedJobsCheckpointsAreAsked(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.ServeJob(v1beta1.FlinkJobRestarting)
	if !deployment.Open(w.Snapshot).Flink().Checkpoints {
		t.Error("nobody asks whether the job has completed one")
	}
	w.Statistics("s3://c/chk-1")
	w.Run()
	if deployment.Open(w.Snapshot).Flink().Checkpoints {
		t.Error("it is asked for again and again")
	}
	w.Edit(enginetest.UpgradeImage)
	if !deployment.Open(w.Snapshot).Flink().Checkpoints {
		t.Error("nobody asks how old the state is that the change goes on from")
	}
}

// What the high-availability data names is stored before the cluster that has it is stopped.
func TestTheCheckpointIsStoredBeforeTheStop(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	stored := w.Status().JobStatus.Checkpoint
	if stored != nil && stored.Path != "" {
		t.Fatalf("a checkpoint is known before there is one: %+v", stored)
	}
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Edit(enginetest.UpgradeImage)
	for range 10 {
		w.Look()
		p := deployment.Make(w.Snapshot)
		for _, a := range p.Actions {
			switch a := a.(type) {
			case plan.Record:
				stored = a.Status.(*v1beta1.FlinkDeploymentStatus).JobStatus.Checkpoint
			case plan.Retire, plan.DeleteCluster:
				if stored == nil {
					t.Errorf("the stop begins with %s, and no checkpoint is stored", p)
				}
				return
			}
		}
		w.Round()
		stored = w.Status().JobStatus.Checkpoint
	}
	t.Fatal("the cluster is not stopped")
}
