package deployment

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// wiped is what Flink leaves of a job that has failed for good while its clean-up is under way: the ConfigMap names no
// checkpoint any more.
func wiped(jobID string) plan.Observed[[]hadata.ConfigMap] {
	maps, _ := haMaps(jobID).Get()
	for i := range maps {
		maps[i].Checkpoint = false
	}
	return plan.Present(maps)
}

// statistics lets Flink name a checkpoint of the job that runs.
func (w *fixture) statistics(path string) {
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: path, Completed: w.s.Now})
}

// That a checkpoint was completed is known before anything is taken down; that it is gone afterwards is a loss, and not
// a job without state.
func TestAGoneCheckpointIsALoss(t *testing.T) {
	const chk = "s3://c/chk-8"
	upgrade := func(w *fixture, job string) {
		w.s.HAData = haMaps(job)
		w.edit(upgradeImage)
		w.run()
		w.terminate()
	}
	rows := map[string]struct {
		learn  func(w *fixture)
		stop   func(w *fixture, job string)
		lost   bool
		says   string
		reason string
	}{
		"an upgrade; the data named one": {
			nil, upgrade, true, "HA metadata is not available",
			"it was there when the stop began",
		},
		"an upgrade; the statistics named it, too": {
			func(w *fixture) { w.statistics(chk) }, upgrade, true, chk,
			"people are told where to look",
		},
		"a lost cluster; the statistics named it once": {
			func(w *fixture) { w.statistics(chk) }, func(w *fixture, _ string) { w.lose() }, true, chk,
			"it was remembered in steady times",
		},
		"a lost cluster that was never seen with one": {
			nil, func(w *fixture, _ string) { w.lose() }, false, "",
			"there is nothing to lose yet",
		},
		"a lost cluster that only read what it was given": {func(w *fixture) { w.statistics("file:///given") },
			func(w *fixture, _ string) { w.lose() }, false, "",
			"that is no checkpoint of its own"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, given(highlyAvailable))
			if strings.Contains(name, "never seen") {
				w = stable(t, highlyAvailable)
			}
			job := w.status().JobStatus.JobID
			if row.learn != nil {
				row.learn(w)
				w.run()
			}
			row.stop(w, job)
			w.s.HAData = wiped(job)
			w.run()
			lost := w.status().Situation == string(plan.StateLost) && w.condition(summary.StateSafe).Status == "False"
			if lost != row.lost || !strings.Contains(w.condition(summary.StateSafe).Message, row.says) {
				t.Errorf(
					"lost %t, want %t: %s; it says %q, rounds %q", lost, row.lost, row.reason,
					w.condition(summary.StateSafe).Message, w.log,
				)
			}
		})
	}
}

// A job whose data is gone while it runs is not stopped for a start that could not be.
func TestNoStopForDataWithoutACheckpoint(t *testing.T) {
	w := stable(t, highlyAvailable)
	w.statistics("s3://c/chk-8")
	w.s.HAData = wiped(w.status().JobStatus.JobID)
	w.edit(upgradeImage)
	p := w.run()
	if touches(p) || w.status().Intent != nil ||
		!strings.Contains(w.condition(summary.StateSafe).Message, "s3://c/chk-8") {
		t.Errorf("got %q, conditions %+v", p, w.status().Conditions)
	}
}

// A job's first checkpoint is asked for until it is known; a newer one is worth no write of its own, and another job's
// is none.
func TestWhatIsRememberedOfCheckpoints(t *testing.T) {
	w := stable(t, highlyAvailable)
	if !Open(w.s).Flink().Checkpoints {
		t.Error("nobody asks whether the job has completed one")
	}
	w.statistics("s3://c/chk-1")
	w.run()
	known := w.status().JobStatus.Checkpoint
	if known == nil || known.Path != "s3://c/chk-1" || known.JobID != w.status().JobStatus.JobID {
		t.Fatalf("remembered %+v", known)
	}
	if Open(w.s).Flink().Checkpoints {
		t.Error("it is asked for again and again")
	}
	w.statistics("s3://c/chk-2")
	if p := w.run(); p.Status != nil {
		t.Errorf("a newer checkpoint alone was written: %+v", p.Status)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode = v1beta1.UpgradeModeStateless
		upgradeImage(s)
	})
	w.run()
	w.terminate()
	w.s.HAData = plan.Present([]hadata.ConfigMap{})
	w.run()
	if known := w.status().JobStatus.Checkpoint; known != nil {
		t.Errorf("the next job has completed none, remembered %+v", known)
	}
}

// When a checkpoint was taken is remembered with its path, also where a later answer does not tell it.
func TestWhenACheckpointWasTakenIsRemembered(t *testing.T) {
	w := stable(t, highlyAvailable)
	taken := w.s.Now
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
		w.serveJob(c.state)
		w.s.Flink.Checkpoints = plan.Present(c.answer)
		w.run()
		k := w.status().JobStatus.Checkpoint
		if k == nil || k.Path != c.answer.Path || (k.Taken != nil) != c.known || c.known && !k.Taken.Time.Equal(taken) {
			t.Errorf("after %+v it is known as %+v: %s", c.answer, k, c.reason)
		}
		w.s.Now = w.s.Now.Add(time.Second)
	}
}

// A job that restarts is asked for its checkpoints, too: it may fail for good before it runs again, and a change goes
// on from the newest.
func TestARestartedJobsCheckpointsAreAsked(t *testing.T) {
	w := stable(t, highlyAvailable)
	w.serveJob(v1beta1.FlinkJobRestarting)
	if !Open(w.s).Flink().Checkpoints {
		t.Error("nobody asks whether the job has completed one")
	}
	w.statistics("s3://c/chk-1")
	w.run()
	if Open(w.s).Flink().Checkpoints {
		t.Error("it is asked for again and again")
	}
	w.edit(upgradeImage)
	if !Open(w.s).Flink().Checkpoints {
		t.Error("nobody asks how old the state is that the change goes on from")
	}
}

// What the high-availability data names is stored before the cluster that has it is stopped.
func TestTheCheckpointIsStoredBeforeTheStop(t *testing.T) {
	w := stable(t, highlyAvailable)
	stored := w.status().JobStatus.Checkpoint
	if stored != nil && stored.Path != "" {
		t.Fatalf("a checkpoint is known before there is one: %+v", stored)
	}
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.edit(upgradeImage)
	for range 10 {
		w.look()
		p := Make(w.s)
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
		w.round()
		stored = w.status().JobStatus.Checkpoint
	}
	t.Fatal("the cluster is not stopped")
}
