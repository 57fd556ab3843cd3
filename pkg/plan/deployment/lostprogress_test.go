package deployment

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

// beginsAnew lets Flink list the job under another start time.
func (w *world) beginsAnew() {
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
		"keeps its state":  {stateful, 1, "it began from what it was given, or from nothing"},
		"keeps none":       {application, 0, "there is nothing to lose"},
		"highly available": {highlyAvailable, 0, "it was restored from its last checkpoint"},
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
func TestAChangeThatDidNotKnowOfTheLossDoesNotEndIt(t *testing.T) {
	w := stable(t, with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`))
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].StartTime = "1800000000000"
	w.edit(upgradeImage)
	w.run()
	jobs[0].State, jobs[0].EndTime = v1beta1.FlinkJobCanceled, w.s.Now.Add(-time.Minute)
	w.s.Flink.Checkpoints = plan.Present(subject.Checkpoints{Path: "file:///c/1/chk-1"})
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
