package decide_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestTwoSessionJobsAreObservedApart(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Jobs = []world.Job{{ID: "0123456789abcdef0123456789abcdef", State: v1beta1.FlinkJobRunning, Tasks: 1, Running: 1}}
	if w.Look(); w.Status().JobStatus.JobID != "" {
		t.Error("nothing is observed of what was not deployed")
	}
	w.UntilSteady()
	w.Set("0123456789abcdef0123456789abcdef", v1beta1.FlinkJobFailed)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("the end of another job is no business of it: %s", p)
	}
	w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
	w.Run()
	w.Want(plan.Ended, v1beta1.LifecycleFailed, v1beta1.FlinkJobFailed)
}

func TestASessionJobIsAskedAtItsClustersPort(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster("rest.port", "8088"))
	q := sessionjob.Open(w.Snapshot).First()
	if q.Flink == nil || !strings.Contains(q.Flink.URL, "session") || !strings.HasSuffix(q.Flink.URL, ":8088") {
		t.Errorf("asked at %+v", q.Flink)
	}
}

func TestARunWhoseAnswerWasLostIsFoundByItsID(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	for len(w.Runs) == 0 {
		w.Round()
	}
	unseen := w.Jobs
	w.Jobs = nil
	w.Run()
	if len(w.Runs) != 1 || w.Status().Intent == nil || w.Status().JobStatus.JobID != w.Runs[0].JobID {
		t.Fatalf("runs %+v, status %+v", w.Runs, w.Status())
	}
	w.Jobs = unseen
	w.UntilSteady()
	if len(w.Runs) != 1 || len(w.Running()) != 1 {
		t.Errorf("runs %+v, jobs %+v", w.Runs, w.Jobs)
	}
}

func TestANonceRestartsASessionJob(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.InitialSavepointPath = "file:///init-sp" })
	w.UntilSteady()
	first, nonce := w.Status().JobStatus.JobID, int64(1)
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.RestartNonce = &nonce })
	w.UntilSteady()
	if len(w.Runs) != 2 || w.Runs[0].SavepointPath != "file:///init-sp" || w.Runs[1].SavepointPath != "" ||
		len(w.Running()) != 1 || w.Running()[0] == first {
		t.Errorf("runs %+v, jobs %+v", w.Runs, w.Jobs)
	}
}

func TestAFailedSessionJobIsRestarted(t *testing.T) {
	for mode, from := range map[string]string{"stateless": "", "savepoint": "file:///c/chk-7"} {
		t.Run(mode, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful(mode))
			w.Edit(enginetest.HostedOptions(`{"kubernetes.operator.job.restart.failed":"true"}`))
			w.UntilSteady()
			w.Checkpointed("file:///c/chk-7")
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.Sleep(time.Minute)
			w.UntilSteady()
			if len(w.Runs) != 2 || w.Runs[1].SavepointPath != from || w.Runs[1].JobID == w.Runs[0].JobID {
				t.Errorf("runs %+v, want the second from %q", w.Runs, from)
			}
		})
	}
}

func TestASessionJobWithoutASavepointIsLeft(t *testing.T) {
	for _, state := range []v1beta1.FlinkJobState{
		v1beta1.FlinkJobCreated, v1beta1.FlinkJobFailing, v1beta1.FlinkJobRestarting, v1beta1.FlinkJobInitializing,
	} {
		t.Run(string(state), func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.Edit(enginetest.HostedOptions(`{"kubernetes.operator.job.upgrade.last-state-fallback.enabled":"false"}`))
			w.UntilSteady()
			w.Checkpointed("file:///c/chk-7")
			w.Set(w.Status().JobStatus.JobID, state)
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.Run()
			w.Sleep(time.Minute)
			w.Run()
			if len(w.Stops) != 0 || len(w.Runs) != 1 || strings.Contains(strings.Join(w.Log, "\n"), "cancel") {
				t.Errorf("%q", w.Log)
			}
			want := "JobNotRunning: a savepoint needs a running job and the job is " + string(state)
			if told := w.Condition("Reconciling"); !strings.HasPrefix(told, want) || w.Condition("Stalled") != "" {
				t.Errorf("told %q, want %q, and nobody is called", told, want)
			}
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobRunning)
			w.UntilSteady()
			if len(w.Runs) != 2 || w.Runs[1].SavepointPath != "file:///s/savepoint-1" {
				t.Errorf("runs %+v", w.Runs)
			}
		})
	}
}

func TestAnInvalidSessionJobIsTold(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	told := func(want int) {
		t.Helper()
		for range 3 {
			w.Run()
			w.Sleep(time.Minute)
		}
		messages := w.Told("ValidationError")
		if len(messages) != want || !strings.HasPrefix(messages[want-1], "Job parallelism ") {
			t.Errorf("told %q, want %d of the parallelism", messages, want)
		}
	}
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 0 })
	w.Run()
	told(1)
	w.Want(plan.Invalid, v1beta1.LifecycleFailed, "")
	if !strings.Contains(w.Status().Error, "parallelism") || len(w.Jars) != 0 {
		t.Errorf("error %q, jars %v", w.Status().Error, w.Jars)
	}
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 2 })
	w.UntilSteady()
	if w.Status().Error != "" {
		t.Errorf("the error stays: %q", w.Status().Error)
	}
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = -1 })
	w.Run()
	s := w.Status()
	if s.JobStatus.State != v1beta1.FlinkJobRunning || !strings.Contains(s.Error, "parallelism") || len(w.Runs) != 1 ||
		s.ReconciliationStatus.LastStableSpec != s.ReconciliationStatus.LastReconciledSpec {
		t.Errorf("%+v, runs %+v", s, w.Runs)
	}
	told(2)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("it is told once, got %s", p)
	}
}

func TestAnInvalidSpecStrandsNoUpgrade(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for w.Status().Intent == nil {
		w.Round()
	}
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = -1 })
	for range 5 {
		w.Run()
		w.Sleep(2 * time.Second)
	}
	if len(w.Runs) != 2 || w.Runs[1].Parallelism != 4 || w.Status().JobStatus.State != v1beta1.FlinkJobRunning {
		t.Errorf("runs %+v, %+v", w.Runs, w.Status())
	}
}

func TestALastStateUpgradeUsesTheCheckpoint(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("last-state"))
	w.UntilSteady()
	w.Checkpointed("file:///c/chk-1")
	nonce := int64(1)
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.RestartNonce = &nonce })
	w.UntilSteady()
	if len(w.Runs) != 2 || w.Runs[1].SavepointPath != "file:///c/chk-1" || len(w.Stops) != 0 {
		t.Fatalf("runs %+v", w.Runs)
	}
	w.Checkpointed("file:///c/chk-2")
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.Run()
	w.Sleep(20 * time.Second)
	w.Run()
	w.Want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.FlinkJobCanceled)
	if path := w.Status().JobStatus.UpgradeSavepointPath; path != "file:///c/chk-2" {
		t.Errorf("recorded %q", path)
	}
}

func TestASessionJobLostWhileCancelled(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("last-state"))
	w.UntilSteady()
	w.Checkpointed("file:///c/chk-1")
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for w.Status().Intent == nil {
		w.Round()
	}
	w.Jobs, w.Snapshot.Flink.Checkpoints = nil, plan.Absent[world.Checkpoints]()
	w.Sleep(time.Minute)
	w.Run()
	if told := w.Condition("Stalled"); len(w.Runs) != 1 || !strings.Contains(told, " Find the newest savepoint") ||
		strings.Contains(told, "file:///s") {
		t.Errorf("runs %+v, told %q: no savepoint was asked for", w.Runs, told)
	}
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("it is told once, got %s", p)
	}
	w.Snapshot.Resource.DeletionTimestamp = &metav1.Time{Time: w.Snapshot.Now}
	w.Bump()
	for range 10 {
		w.Run()
		w.Sleep(time.Second)
	}
	if len(w.Snapshot.Resource.Finalizers) > 0 {
		t.Errorf("the deletion does not end: %q", w.Log)
	}
}

func TestALostSessionJobToldToBeginEmpty(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.UntilSteady()
	w.Jobs = nil
	w.Sleep(time.Minute)
	w.Run()
	w.Want(plan.StateLost, v1beta1.LifecycleDeployed, v1beta1.FlinkJobReconciling)
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.UpgradeMode = v1beta1.UpgradeModeStateless })
	w.UntilSteady()
	if len(w.Runs) != 2 || w.Runs[1].SavepointPath != "" {
		t.Errorf("runs %+v", w.Runs)
	}
}

// The change is told of the kind that it is made to.
func TestAChangeIsToldOfASessionJob(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	w.UntilSteady()
	told := ""
	for _, e := range w.Events {
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
