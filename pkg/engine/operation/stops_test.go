package operation_test

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
)

// A job that has not ended was not stopped, whatever Flink says of the request: it restarts a job whose tasks do not
// end after the savepoint.
func TestOnlyAJobThatEndedWasStopped(t *testing.T) {
	const path, chk = "file:///s/1", "file:///c/1/chk-9"
	completed, unfinished := world.StopCompleted, world.StopUnfinished
	type listed = world.Job
	rows := map[string]struct {
		request world.StopState
		job     listed
		after   time.Duration
		retry   string // the reason of the next attempt
		from    string // what the end is recorded with
	}{
		"it has finished": {
			completed, listed{State: "FINISHED", Tasks: 4, Finished: 4}, 0, "", path,
		},
		"it is about to finish": {
			completed, listed{State: "RUNNING", Tasks: 4, Running: 1, Finished: 3}, 0, "", "",
		},
		"it is about to finish, all tasks have": {
			completed, listed{State: "RUNNING", Tasks: 4, Finished: 4}, 0, "", "",
		},
		"it was restarted": {
			completed, listed{State: "RUNNING", Tasks: 4, Running: 4}, 0, "StopUnfinished", "",
		},
		"it is being restarted": {
			completed, listed{State: "RESTARTING", Tasks: 4}, 0, "StopUnfinished", "",
		},
		"it is failing": {
			completed, listed{State: "FAILING", Tasks: 4}, 0, "StopUnfinished", "",
		},
		"it stays half-way": {
			completed, listed{State: "RUNNING", Tasks: 4, Running: 1, Finished: 3}, 12 * time.Minute, "StopUnfinished", "",
		},
		"somebody cancels it":         {completed, listed{State: "CANCELLING", Tasks: 4}, 0, "", ""},
		"it has failed since":         {completed, listed{State: "FAILED", Tasks: 4}, 0, "", chk},
		"somebody cancelled it since": {completed, listed{State: "CANCELED", Tasks: 4}, 0, "", chk},
		"Flink says so, it was restarted": {
			unfinished, listed{State: "RUNNING", Tasks: 4, Running: 4}, 0, "StopUnfinished", "",
		},
		"Flink says so, it is being restarted": {
			unfinished, listed{State: "RUNNING", Tasks: 4, Running: 1, Finished: 3}, 0, "StopUnfinished", "",
		},
		"Flink says so, it has failed": {unfinished, listed{State: "FAILED", Tasks: 4}, 0, "", chk},
		"Flink says so, it has finished by itself since": {
			unfinished, listed{State: "FINISHED", Tasks: 4, Finished: 4}, 0, "", chk,
		},
		"Flink forgot, it has finished by the stop": {
			world.StopNotKnown, listed{State: "FINISHED", Tasks: 4, Finished: 4}, 0, "", chk,
		},
		"Flink could not be asked, and the job has ended": {
			"", listed{State: "FINISHED", Tasks: 4, Finished: 4}, 0, "", chk,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			if w.Snapshot.Flink.Stop = plan.Unknown[world.StopProgress]("time-out"); row.request != "" {
				w.Snapshot.Flink.Stop = plan.Present(world.StopProgress{State: row.request, Path: path})
			}
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].State, jobs[0].Tasks, jobs[0].Running, jobs[0].Finished = row.job.State, row.job.Tasks, row.job.Running,
				row.job.Finished
			jobs[0].EndTime = w.Snapshot.Now.Add(-time.Minute)
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: chk})
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			p := w.Run()
			intent, retry := w.Status().Intent, w.Status().Retry
			switch {
			case row.retry != "":
				if intent != nil || retry == nil || retry.Reason != row.retry || !strings.Contains(w.Status().Error, path) ||
					enginetest.Touches(p) {
					t.Errorf("intent %+v, retry %+v, error %q, plan %s", intent, retry, w.Status().Error, p)
				}
			case row.from != "":
				if intent == nil || !intent.Ended || intent.From.Path != row.from {
					t.Errorf("intent %+v, want its end with %s; rounds %q", intent, row.from, w.Log)
				}
			case intent == nil || intent.Ended || enginetest.Touches(p) || retry != nil:
				t.Errorf("it is waited for: intent %+v, retry %+v, plan %s", intent, retry, p)
			}
		})
	}
}

// Flink says IN_PROGRESS for as long as a task does not end. A savepoint that is there is used; without one a person is
// told.
func TestAStopThatDoesNotEndIsTold(t *testing.T) {
	kept := world.Checkpoints{Path: "file:///s/1", Kind: world.KindStop}
	writing := kept
	writing.Pending = enginetest.Start
	rows := map[string]struct {
		after       time.Duration
		checkpoints plan.Observed[world.Checkpoints]
		cancels     bool
		stalled     bool
		reason      string
	}{
		"for a while": {
			9 * time.Minute, plan.Present(kept), false, false, "a savepoint may take as long",
		},
		"overdue, the savepoint is there": {12 * time.Minute, plan.Present(kept), true, false, "only its tasks do not end"},
		"overdue, one is being made": {
			12 * time.Minute, plan.Present(writing), false, true, "it may be an earlier one that is there",
		},
		"overdue, none is there": {
			12 * time.Minute, plan.Present(world.Checkpoints{Path: "file:///c/chk-7"}), false, true,
			"nobody knows what it waits for",
		},
		"overdue, nobody could look": {
			12 * time.Minute, plan.Unknown[world.Checkpoints]("time-out"), false, true, "nothing is done on a guess",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopInProgress})
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			w.Snapshot.Flink.Checkpoints = row.checkpoints
			w.Run()
			cancels := strings.Contains(strings.Join(w.Log, " "), "cancel job")
			stalled := false
			for _, c := range w.Status().Conditions {
				stalled = stalled || c.Type == summary.Stalled && c.Reason == "StopOverdue" &&
					strings.Contains(c.Message, "TaskManager")
			}
			if cancels != row.cancels || stalled != row.stalled || w.Status().Intent == nil {
				t.Errorf(
					"cancelled %t, stalled %t, want %t, %t: %s; rounds %q", cancels, stalled, row.cancels, row.stalled,
					row.reason, w.Log,
				)
			}
			if !row.cancels {
				return
			}
			w.Ends(v1beta1.FlinkJobCanceled, enginetest.Retentions["DELETE_ON_CANCELLATION"], kept)
			if intent := w.Status().Intent; intent == nil || !intent.Ended || intent.From.Path != kept.Path {
				t.Errorf("intent %+v, rounds %q", intent, w.Log)
			}
		})
	}
}

// Flink remembers requests by their trigger IDs for some minutes: who finished the job was somebody else when it knows
// none of ours, or one that failed before.
func TestSomebodyElsesStopAfterOneGivenUp(t *testing.T) {
	type answers = []world.StopProgress
	unknown, failed := world.StopProgress{State: world.StopNotKnown}, world.StopProgress{State: world.StopFailed}
	rows := map[string]struct {
		answers plan.Observed[[]world.StopProgress]
		ended   time.Duration // ago
		began   time.Duration // the savepoint, ago
		others  bool
		reason  string
	}{
		"no request is known": {
			plan.Present(answers{unknown}), time.Minute, 2 * time.Minute, true, "Flink would know it",
		},
		"nor any before it": {
			plan.Present(answers{unknown, unknown}), time.Minute, 2 * time.Minute, true, "Flink would know them",
		},
		"Flink may have forgotten it": {
			plan.Present(answers{unknown}), 6 * time.Minute, 7 * time.Minute, false, "nobody knows",
		},
		"it failed before": {
			plan.Present(answers{failed, unknown}), time.Minute, time.Minute, true, "it had come to its end",
		},
		"it failed after": {plan.Present(answers{failed}), time.Minute, 20 * time.Minute, false,
			"that may be what Flink lost sight of"},
		"it is known": {
			plan.Present(answers{{State: world.StopCompleted}}), time.Minute, time.Minute, false, "it came late",
		},
		"one before it is": {
			plan.Present(answers{unknown, {State: world.StopCompleted}}), time.Minute, time.Minute, false, "that came late",
		},
		"nobody could be asked": {plan.Unknown[answers]("no answer"), time.Minute, time.Minute, false, "nobody knows"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.LateStop(t)
			w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Minute)
			w.ServeJob(v1beta1.FlinkJobFinished)
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].EndTime = w.Snapshot.Now.Add(-row.ended)
			w.Snapshot.Flink.LateStops, w.Snapshot.Flink.Checkpoints = row.answers, plan.Present(world.Checkpoints{
				Path: "file:///s/x", Kind: world.KindStop, Completed: w.Snapshot.Now.Add(-row.began),
			})
			if !deployment.Open(w.Snapshot).Flink().LateStops {
				t.Error("nobody asks")
			}
			w.Run()
			if others := w.Status().Intent == nil && w.Status().GivenUpStop == nil; others != row.others {
				t.Errorf("left alone: %t, want %t: %s; rounds %q", others, row.others, row.reason, w.Log)
			}
		})
	}
}

// The requests of all attempts are remembered: each may come late.
func TestAllStopsThatWereGivenUpAreRemembered(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	for n := range 3 {
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = int32(3 + n) })
		w.Run()
		if n == 2 { // the first two cannot come any more
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Hour)
		}
		w.Snapshot.Flink.Stop = plan.Present(world.StopProgress{State: world.StopFailed, Cause: "the store is full"})
		w.Run()
		w.Snapshot.Flink.Stop = plan.Observed[world.StopProgress]{}
		given := w.Status().GivenUpStop
		if want := n % 2; given == nil || len(given.Earlier) != want {
			t.Errorf("attempt %d: %+v, want %d before it; rounds %q", n+1, given, want, w.Log)
		}
	}
}

// A job that finished by itself is not asked about stops that were given up for ever.
func TestStopsThatWereGivenUpAreForgottenAfterAnEnd(t *testing.T) {
	w := enginetest.LateStop(t)
	w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"], world.Checkpoints{
		Path: "file:///c/1/chk-9", Discarded: true,
	})
	for _, row := range []struct {
		after time.Duration
		asked bool
	}{{59 * time.Second, true}, {2 * time.Second, false}} {
		w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
		w.Run()
		if asked := deployment.Open(w.Snapshot).Flink().LateStops; asked != row.asked ||
			(w.Status().GivenUpStop != nil) != row.asked {
			t.Errorf("%s later: asked %t, remembered %+v; rounds %q", row.after, asked, w.Status().GivenUpStop, w.Log)
		}
	}
}

func TestAStopThatComesLate(t *testing.T) {
	late := world.Checkpoints{Path: "file:///s/late", Kind: world.KindStop}
	rows := map[string]struct {
		job     func(w *enginetest.Deployment)
		newest  world.Checkpoints
		started bool
		reason  string
	}{
		"it stopped the job": {func(*enginetest.Deployment) {}, late, true, "nobody asked for that any more"},
		"the job came to its end by itself": {
			func(*enginetest.Deployment) {}, world.Checkpoints{Path: "file:///c/1/chk-9", Discarded: true}, false,
			"it was not stopped",
		},
		"somebody else stopped another job": {
			func(w *enginetest.Deployment) { w.Snapshot.Resource.Status.GivenUpStop.JobID = "ff" }, late, false,
			"that is what they wanted",
		},
		"somebody stopped it hours later": {
			func(w *enginetest.Deployment) { w.Snapshot.Now = w.Snapshot.Now.Add(2 * time.Hour) }, late, false,
			"that is what they wanted",
		},
		"nothing was given up": {
			func(w *enginetest.Deployment) { w.Snapshot.Resource.Status.GivenUpStop = nil }, late, false,
			"that is what they wanted",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.LateStop(t)
			row.job(w)
			old := w.Status().JobStatus.JobID
			w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"], row.newest)
			intent := w.Status().Intent
			if (intent != nil) != row.started {
				t.Fatalf("intent %+v, want a restart: %t: %s; rounds %q", intent, row.started, row.reason, w.Log)
			}
			if !row.started {
				return
			}
			w.Terminate()
			w.Run()
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Run()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
			if s := w.Status(); s.JobStatus.UpgradeSavepointPath != "file:///s/late" || s.JobStatus.JobID == old ||
				s.GivenUpStop != nil || w.Told("RecoverDeployment") != 1 {
				t.Errorf(
					"from %q, job %s after %s, %+v, told %d times", s.JobStatus.UpgradeSavepointPath, s.JobStatus.JobID, old,
					s.GivenUpStop, w.Told("RecoverDeployment"),
				)
			}
		})
	}
}
