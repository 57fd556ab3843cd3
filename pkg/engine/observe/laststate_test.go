package observe_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// A failure is told at once. What the job ended with is read from statistics that follow some seconds later, if anyone
// can still be asked.
func TestTheLastStateOfAFailedJob(t *testing.T) {
	const chk = "file:///chk"
	known := func(w *enginetest.Deployment, path string) {
		w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: path})
	}
	replaced := func(w *enginetest.Deployment) {
		w.ServeJob(v1beta1.FlinkJobFailed)
		w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
	}
	rows := map[string]struct {
		after     time.Duration
		then      func(w *enginetest.Deployment)
		situation plan.Situation
		recorded  string
		reason    string
	}{
		"at once": {0, func(*enginetest.Deployment) {}, plan.Waiting, "file:///given", "nothing is known yet"},
		"the statistics follow": {
			5 * time.Second, func(w *enginetest.Deployment) { known(w, chk) }, plan.Ended, chk, "as they say",
		},
		"they follow without a state": {
			5 * time.Second, func(w *enginetest.Deployment) {
				w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			}, plan.Ended,
			"file:///given", "it had not read it",
		},
		"they name what cannot be read": {
			5 * time.Second, func(w *enginetest.Deployment) { known(w, "") }, plan.Ended, v1beta1.LastStatePlaceholder,
			"a person has to look",
		},
		"they cannot be read": {
			5 * time.Second, func(w *enginetest.Deployment) {
				w.Snapshot.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
			},
			plan.Waiting, "file:///given", "they are asked for again",
		},
		"the JobManager does not answer": {
			time.Minute, func(w *enginetest.Deployment) { w.Snapshot.Flink = enginetest.UnansweredFlink() },
			plan.Waiting, "file:///given",
			"it may answer again",
		},
		"the JobManager was replaced": {
			5 * time.Second, replaced, plan.Ended, v1beta1.LastStatePlaceholder, "nobody knows any more",
		},
		"another run of it has ended": {
			5 * time.Second, func(w *enginetest.Deployment) {
				w.ServeJob(v1beta1.FlinkJobFailed)
				enginetest.StartedAgain(w)
			}, plan.Ended,
			v1beta1.LastStatePlaceholder, "who answers saw nothing of it",
		},
		"another run of it is under way": {
			5 * time.Second, func(w *enginetest.Deployment) {
				w.ServeJob(v1beta1.FlinkJobRunning)
				enginetest.StartedAgain(w)
			}, plan.Ended,
			v1beta1.LastStatePlaceholder, "it began without that state",
		},
		"the Deployment is gone": {
			5 * time.Second, (*enginetest.Deployment).Lose, plan.Ended, v1beta1.LastStatePlaceholder, "nobody knows any more",
		},
		"the Deployment is gone, in a run": {
			time.Second, (*enginetest.Deployment).Lose, plan.Ended, v1beta1.LastStatePlaceholder, "the same",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Given(enginetest.HighlyAvailable))
			w.Fails()
			if s := w.Status(); s.JobStatus.State != v1beta1.FlinkJobFailed || s.LifecycleState != v1beta1.LifecycleFailed ||
				s.Situation != string(plan.Waiting) {
				t.Fatalf("the failure is told as %s, %s, %s", s.JobStatus.State, s.LifecycleState, s.Situation)
			}
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			row.then(w)
			w.Run()
			s := w.Status()
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

// A change of a job that has just failed waits for its last state; a job that was never read is not changed without a
// person.
func TestAFailedJobsChangeAwaitsItsState(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Given(enginetest.HighlyAvailable))
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
	w.Fails()
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	if s := w.Status(); s.Intent != nil || s.Situation != string(plan.Waiting) {
		t.Fatalf("it was stopped before its last state was read: %+v", s.Intent)
	}
	w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
	w.Run()
	if s := w.Status(); s.Intent != nil || s.Situation != string(plan.Refused) {
		t.Errorf("%s, intent %+v, error %q", s.Situation, s.Intent, s.Error)
	}
	w.PersonDecides(true)
}

// A job that had ended and began again with its pod is not what anybody asked for.
func TestAJobThatBeganAgainIsStopped(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Given(enginetest.HighlyAvailable))
	w.Fails()
	w.Snapshot.Now = w.Snapshot.Now.Add(5 * time.Second)
	w.ServeJob(v1beta1.FlinkJobRunning)
	enginetest.StartedAgain(w)
	w.Run()
	if replicas := w.Deployment().Spec.Replicas; w.Told("JobReran") != 1 || replicas == nil || *replicas != 0 {
		t.Errorf("told %d times, rounds %q", w.Told("JobReran"), w.Log)
	}
}

// While the cluster of a job that has ended is stopped, what nobody knows of the job's state is told as before.
func TestTheStateOfAnEndedJobStaysUnknownWhileItsClusterGoes(t *testing.T) {
	rows := map[string]struct {
		spec string
		then func(w *enginetest.Deployment)
	}{
		"the job began again": {enginetest.Given(enginetest.HighlyAvailable), func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobRunning)
			enginetest.StartedAgain(w)
		}},
		"its time to live is over": {
			enginetest.Ttl(enginetest.Given(enginetest.HighlyAvailable)),
			func(w *enginetest.Deployment) { w.Snapshot.Now = w.Snapshot.Now.Add(time.Hour) },
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.Fails()
			w.Snapshot.Now = w.Snapshot.Now.Add(5 * time.Second)
			w.ServeJob(v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
			w.Run()
			w.PersonDecides(true)
			row.then(w)
			if p := w.Round(); !strings.Contains(p.String(), "retire") {
				t.Fatalf("the cluster stays: %s", p)
			}
			w.PersonDecides(true)
		})
	}
}

// A cancelled job whose newest checkpoint cannot be found again keeps its cluster: a person may find it there.
func TestAMissingCheckpointNeedsAPerson(t *testing.T) {
	w := enginetest.Stable(
		t,
		enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.ServeJob(v1beta1.FlinkJobCanceled)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].EndTime = w.Snapshot.Now.Add(-time.Minute)
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{})
	w.Run()
	if c := w.Condition(summary.Stalled); c.Reason != "CheckpointNotFound" || w.Snapshot.JobManager.IsAbsent() {
		t.Fatalf("stalled %+v, rounds %q", c, w.Log)
	}
	w.PersonDecides(true)
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
		"for a while":                    {enginetest.Stateful, 9 * time.Minute, false, plan.Waiting, ""},
		"for longer than a checkpoint":   {enginetest.Stateful, 11 * time.Minute, false, plan.Ended, "LastStateUnknown"},
		"its data is there":              {enginetest.HighlyAvailable, 11 * time.Minute, false, plan.Ended, "JobNotFound"},
		"its data cannot be looked at":   {enginetest.SavesHighlyAvailable, 11 * time.Minute, false, plan.Unobservable, ""},
		"stateless":                      {enginetest.Application, 11 * time.Minute, false, plan.Ended, "JobNotFound"},
		"it is to be changed":            {enginetest.Stateful, 11 * time.Minute, true, plan.Refused, "UpgradeFailed"},
		"it is to be changed, stateless": {enginetest.Application, 11 * time.Minute, true, plan.Upgrade, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			switch asked := deployment.Open(w.Snapshot).First().HAData; {
			case asked && row.spec == enginetest.HighlyAvailable:
				w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			case asked:
				w.Snapshot.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out")
			}
			if row.change {
				w.Edit(enginetest.UpgradeImage)
			}
			w.Run()
			stalled := ""
			for _, c := range w.Status().Conditions {
				if c.Type == "Stalled" {
					stalled = c.Reason
				}
			}
			if s := w.Status(); s.Situation != string(row.want) || stalled != row.stalled {
				t.Errorf("%s, stalled %q, want %s, %q", s.Situation, stalled, row.want, row.stalled)
			}
			if stalled != "" {
				w.PersonDecides(stalled != "JobNotFound")
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
			enginetest.Stateful, 9 * time.Minute, 9 * time.Minute, plan.Waiting, "", "its main method may take long",
		},
		"for longer than a checkpoint": {
			enginetest.Stateful, 11 * time.Minute, 11 * time.Minute, plan.Ended, "LastStateUnknown", "nobody knows what it had",
		},
		"its pod was late": {
			enginetest.Stateful, 11 * time.Minute, time.Minute, plan.Waiting, "", "it could not be submitted before",
		},
		"its data is there": {
			enginetest.HighlyAvailable, 11 * time.Minute, 11 * time.Minute, plan.Ended, "JobNotFound",
			"it can be started from it",
		},
		"stateless": {
			enginetest.Application,
			11 * time.Minute,
			11 * time.Minute,
			plan.Ended,
			"JobNotFound",
			"it needs no state",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, row.spec)
			w.Run()
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
			w.Snapshot.Now = w.Snapshot.Now.Add(row.since)
			jm, _ := w.Snapshot.JobManager.Get()
			jm.Status.Conditions = []appsv1.DeploymentCondition{{
				Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue,
				LastTransitionTime: metav1.NewTime(w.Snapshot.Now.Add(-row.ready)),
			}}
			if deployment.Open(w.Snapshot).First().HAData {
				w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			}
			w.Run()
			stalled := ""
			for _, c := range w.Status().Conditions {
				if c.Type == summary.Stalled {
					stalled = c.Reason
				}
			}
			if s := w.Status(); s.Situation != string(row.want) || stalled != row.stalled {
				t.Errorf("%s, stalled %q, want %s, %q: %s", s.Situation, stalled, row.want, row.stalled, row.reason)
			}
			if stalled != "" {
				w.PersonDecides(stalled != "JobNotFound")
				w.ServeJob(v1beta1.FlinkJobRunning)
				w.Run()
				w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning) // it was late
			}
		})
	}
}

// tellsOfUnclaimedState holds that the condition StateSafe says, or does not say, that the last start may have dropped
// state.
func tellsOfUnclaimedState(w *enginetest.Deployment, want bool) {
	w.T.Helper()
	c := w.Condition(summary.StateSafe)
	told := c.Status == metav1.ConditionTrue && c.Reason == "UnclaimedStateIgnored" &&
		strings.Contains(c.Message, "from file:///c/7") && strings.Contains(c.Message, "allowNonRestoredState")
	if told != want {
		w.T.Errorf("StateSafe is %+v, want that it tells of state that was left out: %t", c, want)
	}
}

// TestAStartThatMayDropStateIsTold is of jobs that go on from their last state while allowNonRestoredState is on.
func TestAStartThatMayDropStateIsTold(t *testing.T) {
	yes := true
	lastly := func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Job.AllowNonRestoredState = enginetest.LastState, &yes
	}
	rows := map[string]struct {
		spec   string
		edit   func(*v1beta1.FlinkDeploymentSpec)
		told   int
		reason string
	}{
		"from a checkpoint":           {enginetest.Stateful, lastly, 1, "Flink leaves it out"},
		"from high-availability data": {enginetest.HighlyAvailable, lastly, 0, "Flink refuses to start"},
		"not allowed": {
			enginetest.Stateful, func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode = enginetest.LastState }, 0,
			"Flink refuses to start",
		},
		"by the option of Flink": {enginetest.Stateful, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode = enginetest.LastState
			enginetest.Option("execution.savepoint.ignore-unclaimed-state", "true")(s)
		}, 1, "the same by another name"},
		"by its name since Flink 1.20": {enginetest.Stateful, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode = enginetest.LastState
			enginetest.Option("execution.state-recovery.ignore-unclaimed-state", "true")(s)
		}, 1, "the same by its newer name"},
		"by its name since Flink 1.20, to an older one": {enginetest.Stateful, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode, s.FlinkVersion = enginetest.LastState, v1beta1.FlinkV1_19
			enginetest.Option("execution.state-recovery.ignore-unclaimed-state", "true")(s)
		}, 0, "that version does not know it, and refuses to start"},
		"by both names, to an older Flink": {enginetest.Stateful, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode, s.FlinkVersion = enginetest.LastState, v1beta1.FlinkV1_19
			enginetest.Option("execution.state-recovery.ignore-unclaimed-state", "false")(s)
			enginetest.Option("execution.savepoint.ignore-unclaimed-state", "true")(s)
		}, 1, "the newer name does not count there"},
		"from a savepoint of its own": {
			enginetest.Stateful, func(s *v1beta1.FlinkDeploymentSpec) { s.Job.AllowNonRestoredState = &yes }, 0,
			"the savepoint keeps it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { row.edit(s); s.Image = "flink:1.20.5" })
			if row.spec == enginetest.Stateful {
				w.Snapshot.Resource.Status.JobStatus.State = v1beta1.FlinkJobFailed
				w.ServeJob(v1beta1.FlinkJobFailed)
				w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/7"})
			}
			from, _ := w.Follow()
			if wanted := map[bool]string{
				true: "Savepoint file:///c/7", false: "LastState " + v1beta1.LastStatePlaceholder,
			}[row.spec == enginetest.Stateful]; from != wanted {
				t.Errorf("it starts from %q, want %q; rounds %q", from, wanted, w.Log)
			}
			if w.Told("StateMayBeDropped") != row.told {
				t.Errorf(
					"it starts from %q and is told %d times, want %d: %s; %q", from, w.Told("StateMayBeDropped"), row.told,
					row.reason, w.Log,
				)
			}
			tellsOfUnclaimedState(w, row.told > 0)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.AllowNonRestoredState = nil })
			w.Run()
			tellsOfUnclaimedState(w, row.told > 0) // what the next start will do changes nothing about it
			if w.Status().Situation == string(plan.Invalid) || w.Condition(summary.SpecAccepted).Status != "True" {
				t.Errorf("a warning refuses nothing: %+v", w.Status().Conditions)
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
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.ServeJob(row.state)
			w.Knows("s3://s/savepoint-1")
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			maps, _ := w.Snapshot.HAData.Get()
			maps[0].Checkpoint = false
			w.Edit(enginetest.UpgradeImage)
			if p := w.Run(); enginetest.Touches(p) {
				t.Errorf("it acts without a checkpoint: %s", p)
			}
			maps[0].Checkpoint = row.names
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			w.Run()
			unsafe := w.Condition(summary.StateSafe).Status == "False"
			if w.Status().Situation != string(row.want) || unsafe != row.unsafe {
				t.Errorf(
					"%s, unsafe %t; want %s: %s; rounds %q", w.Status().Situation, unsafe, row.want, row.reason, w.Log,
				)
			}
		})
	}
}

// A JobManager that does not answer for a moment runs its job all the same, as far as anybody knows.
func TestALastStateChangeAwaitsACheckpointWhileFlinkIsSilent(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.Knows("s3://s/savepoint-1")
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	maps, _ := w.Snapshot.HAData.Get()
	maps[0].Checkpoint = false
	w.Serve(1, plan.Unknown[[]world.Job]("connection refused"))
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(59 * time.Second)
	w.Edit(enginetest.UpgradeImage)
	p := w.Run()
	if c := w.Condition(summary.StateSafe); enginetest.Touches(p) || w.Status().Intent != nil || c.Status == "False" {
		t.Errorf("silent for 59 s: %s, %+v, intent %+v", p, c, w.Status().Intent)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(2 * time.Second)
	w.Run()
	if c := w.Condition(summary.StateSafe); c.Status != "False" {
		t.Errorf("silent for longer than a minute: %+v, rounds %q", c, w.Log)
	}
}
