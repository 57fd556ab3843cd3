package deployment

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// fails lets the job end FAILED just now: its statistics do not show its last checkpoint yet.
func (w *fixture) fails() {
	w.serveJob(v1beta1.FlinkJobFailed)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].EndTime = w.s.Now
	w.run()
}

// A failure is told at once. What the job ended with is read from statistics that follow some seconds later, if anyone
// can still be asked.
func TestTheLastStateOfAFailedJob(t *testing.T) {
	const chk = "file:///chk"
	known := func(w *fixture, path string) { w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: path}) }
	replaced := func(w *fixture) {
		w.serveJob(v1beta1.FlinkJobFailed)
		w.s.Flink.Jobs = plan.Present([]world.Job{})
	}
	rows := map[string]struct {
		after     time.Duration
		then      func(w *fixture)
		situation plan.Situation
		recorded  string
		reason    string
	}{
		"at once": {0, func(*fixture) {}, plan.Waiting, "file:///given", "nothing is known yet"},
		"the statistics follow": {
			5 * time.Second, func(w *fixture) { known(w, chk) }, plan.Ended, chk, "as they say",
		},
		"they follow without a state": {
			5 * time.Second, func(w *fixture) { w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]() }, plan.Ended,
			"file:///given", "it had not read it",
		},
		"they name what cannot be read": {
			5 * time.Second, func(w *fixture) { known(w, "") }, plan.Ended, v1beta1.LastStatePlaceholder,
			"a person has to look",
		},
		"they cannot be read": {
			5 * time.Second, func(w *fixture) { w.s.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out") },
			plan.Waiting, "file:///given", "they are asked for again",
		},
		"the JobManager does not answer": {
			time.Minute, func(w *fixture) { w.s.Flink = unansweredFlink() }, plan.Waiting, "file:///given",
			"it may answer again",
		},
		"the JobManager was replaced": {
			5 * time.Second, replaced, plan.Ended, v1beta1.LastStatePlaceholder, "nobody knows any more",
		},
		"another run of it has ended": {
			5 * time.Second, func(w *fixture) { w.serveJob(v1beta1.FlinkJobFailed); startedAgain(w) }, plan.Ended,
			v1beta1.LastStatePlaceholder, "who answers saw nothing of it",
		},
		"another run of it is under way": {
			5 * time.Second, func(w *fixture) { w.serveJob(v1beta1.FlinkJobRunning); startedAgain(w) }, plan.Ended,
			v1beta1.LastStatePlaceholder, "it began without that state",
		},
		"the Deployment is gone": {
			5 * time.Second, (*fixture).lose, plan.Ended, v1beta1.LastStatePlaceholder, "nobody knows any more",
		},
		"the Deployment is gone, in a run": {
			time.Second, (*fixture).lose, plan.Ended, v1beta1.LastStatePlaceholder, "the same",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, given(highlyAvailable))
			w.fails()
			if s := w.status(); s.JobStatus.State != v1beta1.FlinkJobFailed || s.LifecycleState != v1beta1.LifecycleFailed ||
				s.Situation != string(plan.Waiting) {
				t.Fatalf("the failure is told as %s, %s, %s", s.JobStatus.State, s.LifecycleState, s.Situation)
			}
			w.s.Now = w.s.Now.Add(row.after)
			row.then(w)
			w.run()
			s := w.status()
			if s.Situation != string(row.situation) || s.JobStatus.UpgradeSavepointPath != row.recorded ||
				s.JobStatus.State != v1beta1.FlinkJobFailed {
				t.Errorf(
					"%s, %s with %q, want %s with %q: %s", s.JobStatus.State, s.Situation, s.JobStatus.UpgradeSavepointPath,
					row.situation, row.recorded, row.reason,
				)
			}
			if unread := s.Situation == string(plan.Waiting); s.JobStatus.LastStateUnread != unread {
				t.Errorf("unread %t while %s", s.JobStatus.LastStateUnread, s.Situation)
			}
		})
	}
}

func startedAgain(w *fixture) {
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].StartTime = "1800000000000"
}

func unansweredFlink() world.Flink {
	return world.Flink{Jobs: plan.Unknown[[]world.Job]("refused")}
}

// A change of a job that has just failed waits for its last state; a job that was never read is not changed without a
// person.
func TestAFailedJobsChangeAwaitsItsState(t *testing.T) {
	w := stable(t, given(highlyAvailable))
	w.s.HAData = plan.Present([]hadata.ConfigMap{})
	w.fails()
	w.edit(upgradeImage)
	w.run()
	if s := w.status(); s.Intent != nil || s.Situation != string(plan.Waiting) {
		t.Fatalf("it was stopped before its last state was read: %+v", s.Intent)
	}
	w.s.Flink.Jobs = plan.Present([]world.Job{})
	w.run()
	if s := w.status(); s.Intent != nil || s.Situation != string(plan.Refused) {
		t.Errorf("%s, intent %+v, error %q", s.Situation, s.Intent, s.Error)
	}
	w.personDecides(true)
}

// A job that had ended and began again with its pod is not what anybody asked for.
func TestAJobThatBeganAgainIsStopped(t *testing.T) {
	w := stable(t, given(highlyAvailable))
	w.fails()
	w.s.Now = w.s.Now.Add(5 * time.Second)
	w.serveJob(v1beta1.FlinkJobRunning)
	startedAgain(w)
	w.run()
	if replicas := w.deployment().Spec.Replicas; w.told("JobReran") != 1 || replicas == nil || *replicas != 0 {
		t.Errorf("told %d times, rounds %q", w.told("JobReran"), w.log)
	}
}

// While the cluster of a job that has ended is stopped, what nobody knows of the job's state is told as before.
func TestTheStateOfAnEndedJobStaysUnknownWhileItsClusterGoes(t *testing.T) {
	rows := map[string]struct {
		spec string
		then func(w *fixture)
	}{
		"the job began again": {given(highlyAvailable), func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobRunning)
			startedAgain(w)
		}},
		"its time to live is over": {ttl(given(highlyAvailable)), func(w *fixture) { w.s.Now = w.s.Now.Add(time.Hour) }},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.fails()
			w.s.Now = w.s.Now.Add(5 * time.Second)
			w.serveJob(v1beta1.FlinkJobFailed)
			w.s.Flink.Jobs = plan.Present([]world.Job{})
			w.run()
			w.personDecides(true)
			row.then(w)
			if p := w.round(); !strings.Contains(p.String(), "retire") {
				t.Fatalf("the cluster stays: %s", p)
			}
			w.personDecides(true)
		})
	}
}

// A cancelled job whose newest checkpoint cannot be found again keeps its cluster: a person may find it there.
func TestAMissingCheckpointNeedsAPerson(t *testing.T) {
	w := stable(t, with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`))
	w.edit(upgradeImage)
	w.run()
	w.serveJob(v1beta1.FlinkJobCanceled)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].EndTime = w.s.Now.Add(-time.Minute)
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{})
	w.run()
	if c := w.condition(summary.Stalled); c.Reason != "CheckpointNotFound" || w.s.JobManager.IsAbsent() {
		t.Fatalf("stalled %+v, rounds %q", c, w.log)
	}
	w.personDecides(true)
}

// A job that its JobManager does not list any more has ended, if that lasts: Flink's high availability brings back
// every other one.
func TestAJobThatVanished(t *testing.T) {
	rows := map[string]struct {
		spec    string
		after   time.Duration
		change  bool
		want    plan.Situation
		stalled string
	}{
		"for a while":                    {stateful, 9 * time.Minute, false, plan.Waiting, ""},
		"for longer than a checkpoint":   {stateful, 11 * time.Minute, false, plan.Ended, "LastStateUnknown"},
		"its data is there":              {highlyAvailable, 11 * time.Minute, false, plan.Ended, "JobNotFound"},
		"its data cannot be looked at":   {savesHighlyAvailable, 11 * time.Minute, false, plan.Unobservable, ""},
		"stateless":                      {application, 11 * time.Minute, false, plan.Ended, "JobNotFound"},
		"it is to be changed":            {stateful, 11 * time.Minute, true, plan.Refused, "UpgradeFailed"},
		"it is to be changed, stateless": {application, 11 * time.Minute, true, plan.Upgrade, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.s.Flink.Jobs = plan.Present([]world.Job{})
			w.run()
			w.s.Now = w.s.Now.Add(row.after)
			switch asked := Open(w.s).First().HAData; {
			case asked && row.spec == highlyAvailable:
				w.s.HAData = haMaps(w.status().JobStatus.JobID)
			case asked:
				w.s.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out")
			}
			if row.change {
				w.edit(upgradeImage)
			}
			w.run()
			stalled := ""
			for _, c := range w.status().Conditions {
				if c.Type == "Stalled" {
					stalled = c.Reason
				}
			}
			if s := w.status(); s.Situation != string(row.want) || stalled != row.stalled {
				t.Errorf("%s, stalled %q, want %s, %q", s.Situation, stalled, row.want, row.stalled)
			}
			if stalled != "" {
				w.personDecides(stalled != "JobNotFound")
			}
		})
	}
}

// A job of which no run was ever recorded may have run and ended while no status could be written.
func TestAJobThatWasNeverSeen(t *testing.T) {
	rows := map[string]struct {
		spec         string
		since, ready time.Duration
		want         plan.Situation
		stalled      string
		reason       string
	}{
		"for a while": {
			stateful, 9 * time.Minute, 9 * time.Minute, plan.Waiting, "", "its main method may take long",
		},
		"for longer than a checkpoint": {
			stateful, 11 * time.Minute, 11 * time.Minute, plan.Ended, "LastStateUnknown", "nobody knows what it had",
		},
		"its pod was late": {
			stateful, 11 * time.Minute, time.Minute, plan.Waiting, "", "it could not be submitted before",
		},
		"its data is there": {
			highlyAvailable, 11 * time.Minute, 11 * time.Minute, plan.Ended, "JobNotFound", "it can be started from it",
		},
		"stateless": {application, 11 * time.Minute, 11 * time.Minute, plan.Ended, "JobNotFound", "it needs no state"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.spec)
			w.run()
			w.serveJob(v1beta1.FlinkJobRunning)
			w.s.Flink.Jobs = plan.Present([]world.Job{})
			w.s.Now = w.s.Now.Add(row.since)
			jm, _ := w.s.JobManager.Get()
			jm.Status.Conditions = []appsv1.DeploymentCondition{{
				Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue,
				LastTransitionTime: metav1.NewTime(w.s.Now.Add(-row.ready)),
			}}
			if Open(w.s).First().HAData {
				w.s.HAData = haMaps(w.status().JobStatus.JobID)
			}
			w.run()
			stalled := ""
			for _, c := range w.status().Conditions {
				if c.Type == summary.Stalled {
					stalled = c.Reason
				}
			}
			if s := w.status(); s.Situation != string(row.want) || stalled != row.stalled {
				t.Errorf("%s, stalled %q, want %s, %q: %s", s.Situation, stalled, row.want, row.stalled, row.reason)
			}
			if stalled != "" {
				w.personDecides(stalled != "JobNotFound")
				w.serveJob(v1beta1.FlinkJobRunning)
				w.run()
				w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning) // it was late
			}
		})
	}
}

// personDecides checks whether status says that the state is not safe, with the command that decides.
func (w *fixture) personDecides(want bool) {
	w.t.Helper()
	unsafe := w.condition(summary.StateSafe).Status == metav1.ConditionFalse
	if message := w.condition(summary.Stalled).Message; unsafe != want ||
		strings.Contains(message, "kubectl patch flinkdeployment demo -n default") != want {
		w.t.Errorf("state unsafe: %v, message %q, want that a person decides: %v", unsafe, message, want)
	}
}

// tellsOfUnclaimedState holds that the condition StateSafe says, or does not say, that the last start may have dropped
// state.
func (w *fixture) tellsOfUnclaimedState(want bool) {
	w.t.Helper()
	c := w.condition(summary.StateSafe)
	told := c.Status == metav1.ConditionTrue && c.Reason == "UnclaimedStateIgnored" &&
		strings.Contains(c.Message, "from file:///c/7") && strings.Contains(c.Message, "allowNonRestoredState")
	if told != want {
		w.t.Errorf("StateSafe is %+v, want that it tells of state that was left out: %t", c, want)
	}
}

// TestAStartThatMayDropStateIsTold is of jobs that go on from their last state while allowNonRestoredState is on.
func TestAStartThatMayDropStateIsTold(t *testing.T) {
	yes := true
	lastly := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode, s.Job.AllowNonRestoredState = lastState, &yes }
	rows := map[string]struct {
		spec   string
		edit   func(*v1beta1.FlinkDeploymentSpec)
		told   int
		reason string
	}{
		"from a checkpoint":           {stateful, lastly, 1, "Flink leaves it out"},
		"from high-availability data": {highlyAvailable, lastly, 0, "Flink refuses to start"},
		"not allowed": {
			stateful, func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode = lastState }, 0, "Flink refuses to start",
		},
		"by the option of Flink": {stateful, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode = lastState
			option("execution.savepoint.ignore-unclaimed-state", "true")(s)
		}, 1, "the same by another name"},
		"by its name since Flink 1.20": {stateful, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode = lastState
			option("execution.state-recovery.ignore-unclaimed-state", "true")(s)
		}, 1, "the same by its newer name"},
		"by its name since Flink 1.20, to an older one": {stateful, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode, s.FlinkVersion = lastState, v1beta1.FlinkV1_19
			option("execution.state-recovery.ignore-unclaimed-state", "true")(s)
		}, 0, "that version does not know it, and refuses to start"},
		"by both names, to an older Flink": {stateful, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode, s.FlinkVersion = lastState, v1beta1.FlinkV1_19
			option("execution.state-recovery.ignore-unclaimed-state", "false")(s)
			option("execution.savepoint.ignore-unclaimed-state", "true")(s)
		}, 1, "the newer name does not count there"},
		"from a savepoint of its own": {
			stateful, func(s *v1beta1.FlinkDeploymentSpec) { s.Job.AllowNonRestoredState = &yes }, 0,
			"the savepoint keeps it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { row.edit(s); s.Image = "flink:1.20.5" })
			if row.spec == stateful {
				w.s.Resource.Status.JobStatus.State = v1beta1.FlinkJobFailed
				w.serveJob(v1beta1.FlinkJobFailed)
				w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/7"})
			}
			from, _ := w.follow()
			if wanted := map[bool]string{
				true: "Savepoint file:///c/7", false: "LastState " + v1beta1.LastStatePlaceholder,
			}[row.spec == stateful]; from != wanted {
				t.Errorf("it starts from %q, want %q; rounds %q", from, wanted, w.log)
			}
			if w.told("StateMayBeDropped") != row.told {
				t.Errorf(
					"it starts from %q and is told %d times, want %d: %s; %q", from, w.told("StateMayBeDropped"), row.told,
					row.reason, w.log,
				)
			}
			w.tellsOfUnclaimedState(row.told > 0)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.AllowNonRestoredState = nil })
			w.run()
			w.tellsOfUnclaimedState(row.told > 0) // what the next start will do changes nothing about it
			if w.status().Situation == string(plan.Invalid) || w.condition(summary.SpecAccepted).Status != "True" {
				t.Errorf("a warning refuses nothing: %+v", w.status().Conditions)
			}
		})
	}
}

// A job runs, has completed a savepoint for somebody, and no checkpoint yet: its high-availability data names none. A
// change by last-state waits for one, and calls a person where none comes.
func TestALastStateChangeAwaitsACheckpoint(t *testing.T) {
	rows := map[string]struct {
		names  bool
		state  v1beta1.FlinkJobState
		after  time.Duration
		want   plan.Situation
		unsafe bool
		reason string
	}{
		"none yet": {false, v1beta1.FlinkJobRunning, time.Minute, plan.Waiting, false, "the job runs, nothing is lost"},
		"none yet, and it restarts": {
			false, v1beta1.FlinkJobRestarting, time.Minute, plan.Waiting, false, "it may run again, nothing is lost",
		},
		"one is complete":  {true, v1beta1.FlinkJobRunning, time.Minute, plan.Upgrade, false, "the change starts from it"},
		"none in its time": {false, v1beta1.FlinkJobRunning, time.Hour, plan.StateLost, true, "the job may make none"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.serveJob(row.state)
			w.knows("s3://s/savepoint-1")
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			maps, _ := w.s.HAData.Get()
			maps[0].Checkpoint = false
			w.edit(upgradeImage)
			if p := w.run(); touches(p) {
				t.Errorf("it acts without a checkpoint: %s", p)
			}
			maps[0].Checkpoint = row.names
			w.s.Now = w.s.Now.Add(row.after)
			w.run()
			unsafe := w.condition(summary.StateSafe).Status == "False"
			if w.status().Situation != string(row.want) || unsafe != row.unsafe {
				t.Errorf(
					"%s, unsafe %t; want %s: %s; rounds %q", w.status().Situation, unsafe, row.want, row.reason, w.log,
				)
			}
		})
	}
}

// A JobManager that does not answer for a moment runs its job all the same, as far as anybody knows.
func TestALastStateChangeAwaitsACheckpointWhileFlinkIsSilent(t *testing.T) {
	w := stable(t, highlyAvailable)
	w.knows("s3://s/savepoint-1")
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	maps, _ := w.s.HAData.Get()
	maps[0].Checkpoint = false
	w.serve(1, plan.Unknown[[]world.Job]("connection refused"))
	w.run()
	w.s.Now = w.s.Now.Add(59 * time.Second)
	w.edit(upgradeImage)
	p := w.run()
	if c := w.condition(summary.StateSafe); touches(p) || w.status().Intent != nil || c.Status == "False" {
		t.Errorf("silent for 59 s: %s, %+v, intent %+v", p, c, w.status().Intent)
	}
	w.s.Now = w.s.Now.Add(2 * time.Second)
	w.run()
	if c := w.condition(summary.StateSafe); c.Status != "False" {
		t.Errorf("silent for longer than a minute: %+v, rounds %q", c, w.log)
	}
}
