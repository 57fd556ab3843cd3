package sessionjob

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// options sets the configuration of a session job.
func options(content string) func(*v1beta1.FlinkSessionJobSpec) {
	return func(s *v1beta1.FlinkSessionJobSpec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(content) }
}

// condition is the message of a condition; empty when it is not there.
func (w *fixture) condition(kind string) string {
	for _, c := range w.status().Conditions {
		if c.Type == kind {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}

// checkpointed has Flink show a completed checkpoint.
func (w *fixture) checkpointed(path string) {
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: path, Completed: w.s.Now, Kind: world.KindCheckpoint})
}

func TestTwoSessionJobsAreObservedApart(t *testing.T) {
	w := newWorld(t, stateless)
	w.jobs = []world.Job{{ID: "0123456789abcdef0123456789abcdef", State: v1beta1.FlinkJobRunning, Tasks: 1, Running: 1}}
	if w.look(); w.status().JobStatus.JobID != "" {
		t.Error("nothing is observed of what was not deployed")
	}
	w.untilSteady()
	w.set("0123456789abcdef0123456789abcdef", v1beta1.FlinkJobFailed)
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("the end of another job is no business of it: %s", p)
	}
	w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed)
	w.run()
	w.want(plan.Ended, v1beta1.LifecycleFailed, v1beta1.FlinkJobFailed)
}

func TestASessionJobIsAskedAtItsClustersPort(t *testing.T) {
	w := newWorld(t, stateless)
	w.s.Cluster = plan.Present(sessionCluster("rest.port", "8088"))
	q := Open(w.s).First()
	if q.Flink == nil || !strings.Contains(q.Flink.URL, "session") || !strings.HasSuffix(q.Flink.URL, ":8088") {
		t.Errorf("asked at %+v", q.Flink)
	}
}

func TestARunWhoseAnswerWasLostIsFoundByItsID(t *testing.T) {
	w := newWorld(t, stateless)
	for len(w.runs) == 0 {
		w.round()
	}
	unseen := w.jobs
	w.jobs = nil
	w.run()
	if len(w.runs) != 1 || w.status().Intent == nil || w.status().JobStatus.JobID != w.runs[0].JobID {
		t.Fatalf("runs %+v, status %+v", w.runs, w.status())
	}
	w.jobs = unseen
	w.untilSteady()
	if len(w.runs) != 1 || len(w.running()) != 1 {
		t.Errorf("runs %+v, jobs %+v", w.runs, w.jobs)
	}
}

func TestANonceRestartsASessionJob(t *testing.T) {
	w := newWorld(t, stateless)
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.InitialSavepointPath = "file:///init-sp" })
	w.untilSteady()
	first, nonce := w.status().JobStatus.JobID, int64(1)
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.RestartNonce = &nonce })
	w.untilSteady()
	if len(w.runs) != 2 || w.runs[0].SavepointPath != "file:///init-sp" || w.runs[1].SavepointPath != "" ||
		len(w.running()) != 1 || w.running()[0] == first {
		t.Errorf("runs %+v, jobs %+v", w.runs, w.jobs)
	}
}

func TestAFailedSessionJobIsRestarted(t *testing.T) {
	for mode, from := range map[string]string{"stateless": "", "savepoint": "file:///c/chk-7"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, stateful(mode))
			w.edit(options(`{"kubernetes.operator.job.restart.failed":"true"}`))
			w.untilSteady()
			w.checkpointed("file:///c/chk-7")
			w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.sleep(time.Minute)
			w.untilSteady()
			if len(w.runs) != 2 || w.runs[1].SavepointPath != from || w.runs[1].JobID == w.runs[0].JobID {
				t.Errorf("runs %+v, want the second from %q", w.runs, from)
			}
		})
	}
}

func TestASessionJobWithoutASavepointIsLeft(t *testing.T) {
	for _, state := range []v1beta1.FlinkJobState{
		v1beta1.FlinkJobCreated, v1beta1.FlinkJobFailing, v1beta1.FlinkJobRestarting, v1beta1.FlinkJobInitializing,
	} {
		t.Run(string(state), func(t *testing.T) {
			w := newWorld(t, stateful("savepoint"))
			w.edit(options(`{"kubernetes.operator.job.upgrade.last-state-fallback.enabled":"false"}`))
			w.untilSteady()
			w.checkpointed("file:///c/chk-7")
			w.set(w.status().JobStatus.JobID, state)
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.run()
			w.sleep(time.Minute)
			w.run()
			if len(w.stops) != 0 || len(w.runs) != 1 || strings.Contains(strings.Join(w.log, "\n"), "cancel") {
				t.Errorf("%q", w.log)
			}
			want := "JobNotRunning: a savepoint needs a running job and the job is " + string(state)
			if told := w.condition("Reconciling"); !strings.HasPrefix(told, want) || w.condition("Stalled") != "" {
				t.Errorf("told %q, want %q, and nobody is called", told, want)
			}
			w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobRunning)
			w.untilSteady()
			if len(w.runs) != 2 || w.runs[1].SavepointPath != "file:///s/savepoint-1" {
				t.Errorf("runs %+v", w.runs)
			}
		})
	}
}

func TestAnInvalidSessionJobIsTold(t *testing.T) {
	w := newWorld(t, stateless)
	told := func(want int) {
		t.Helper()
		for range 3 {
			w.run()
			w.sleep(time.Minute)
		}
		messages := w.told("ValidationError")
		if len(messages) != want || !strings.HasPrefix(messages[want-1], "Job parallelism ") {
			t.Errorf("told %q, want %d of the parallelism", messages, want)
		}
	}
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 0 })
	w.run()
	told(1)
	w.want(plan.Invalid, v1beta1.LifecycleFailed, "")
	if !strings.Contains(w.status().Error, "parallelism") || len(w.jars) != 0 {
		t.Errorf("error %q, jars %v", w.status().Error, w.jars)
	}
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 2 })
	w.untilSteady()
	if w.status().Error != "" {
		t.Errorf("the error stays: %q", w.status().Error)
	}
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = -1 })
	w.run()
	s := w.status()
	if s.JobStatus.State != v1beta1.FlinkJobRunning || !strings.Contains(s.Error, "parallelism") || len(w.runs) != 1 ||
		s.ReconciliationStatus.LastStableSpec != s.ReconciliationStatus.LastReconciledSpec {
		t.Errorf("%+v, runs %+v", s, w.runs)
	}
	told(2)
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("it is told once, got %s", p)
	}
}

func TestAnInvalidSpecStrandsNoUpgrade(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for w.status().Intent == nil {
		w.round()
	}
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = -1 })
	for range 5 {
		w.run()
		w.sleep(2 * time.Second)
	}
	if len(w.runs) != 2 || w.runs[1].Parallelism != 4 || w.status().JobStatus.State != v1beta1.FlinkJobRunning {
		t.Errorf("runs %+v, %+v", w.runs, w.status())
	}
}

func TestALastStateUpgradeUsesTheCheckpoint(t *testing.T) {
	w := newWorld(t, stateful("last-state"))
	w.untilSteady()
	w.checkpointed("file:///c/chk-1")
	nonce := int64(1)
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.RestartNonce = &nonce })
	w.untilSteady()
	if len(w.runs) != 2 || w.runs[1].SavepointPath != "file:///c/chk-1" || len(w.stops) != 0 {
		t.Fatalf("runs %+v", w.runs)
	}
	w.checkpointed("file:///c/chk-2")
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.run()
	w.sleep(20 * time.Second)
	w.run()
	w.want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.FlinkJobCanceled)
	if path := w.status().JobStatus.UpgradeSavepointPath; path != "file:///c/chk-2" {
		t.Errorf("recorded %q", path)
	}
}

func TestASessionJobLostWhileCancelled(t *testing.T) {
	w := newWorld(t, stateful("last-state"))
	w.untilSteady()
	w.checkpointed("file:///c/chk-1")
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for w.status().Intent == nil {
		w.round()
	}
	w.jobs, w.s.Flink.Checkpoints = nil, plan.Absent[world.Checkpoints]()
	w.sleep(time.Minute)
	w.run()
	if told := w.condition("Stalled"); len(w.runs) != 1 || !strings.Contains(told, " Find the newest savepoint") ||
		strings.Contains(told, "file:///s") {
		t.Errorf("runs %+v, told %q: no savepoint was asked for", w.runs, told)
	}
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("it is told once, got %s", p)
	}
	w.s.Resource.DeletionTimestamp = &metav1.Time{Time: w.s.Now}
	w.bump()
	for range 10 {
		w.run()
		w.sleep(time.Second)
	}
	if len(w.s.Resource.Finalizers) > 0 {
		t.Errorf("the deletion does not end: %q", w.log)
	}
}

func TestALostSessionJobToldToBeginEmpty(t *testing.T) {
	w := newWorld(t, stateful("savepoint"))
	w.untilSteady()
	w.jobs = nil
	w.sleep(time.Minute)
	w.run()
	w.want(plan.StateLost, v1beta1.LifecycleDeployed, v1beta1.FlinkJobReconciling)
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.UpgradeMode = v1beta1.UpgradeModeStateless })
	w.untilSteady()
	if len(w.runs) != 2 || w.runs[1].SavepointPath != "" {
		t.Errorf("runs %+v", w.runs)
	}
}

// The change is told of the kind that it is made to.
func TestAChangeIsToldOfASessionJob(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	w.untilSteady()
	told := ""
	for _, e := range w.events {
		if e.Reason == plan.ReasonSpecChanged {
			told += e.Message
		}
	}
	const want = "UPGRADE change(s) detected (Diff: FlinkSessionJobSpec[job.parallelism : 2 -> 4]), starting " +
		"reconciliation."
	if told != want {
		t.Errorf("told %q, want %q", told, want)
	}
}
