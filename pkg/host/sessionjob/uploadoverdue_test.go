package sessionjob_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// stalled is the reason that status has for a person; empty when nobody is called.
func stalled(w *enginetest.SessionJob) string {
	for _, c := range w.Status().Conditions {
		if c.Type == summary.Stalled && c.Status == "True" {
			return c.Reason
		}
	}
	return ""
}

func TestAnUploadThatNobodyMakesIsTold(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Uploads = false
	w.Run()
	for range 9 {
		w.Sleep(time.Minute)
		w.Run()
	}
	if got := stalled(w); got != "" {
		t.Errorf("stalled by %s after 9 minutes: one request may be lost", got)
	}
	for range 60 {
		w.Sleep(time.Minute)
		w.Run()
		if got := stalled(w); w.Snapshot.Now.Sub(enginetest.Start) > 11*time.Minute &&
			got != string(plan.ReasonUploadOverdue) {
			t.Fatalf("after %s stalled by %q", w.Snapshot.Now.Sub(enginetest.Start), got)
		}
	}
	told := 0
	for _, e := range w.Events {
		if e.Reason == plan.ReasonUploadOverdue {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
	w.Uploads = true // the function is back
	w.Sleep(10 * time.Minute)
	w.UntilSteady()
	if got := stalled(w); got != "" || w.Status().Error != "" {
		t.Errorf("stalled by %q, error %q", got, w.Status().Error)
	}
}

func TestAnOverdueUploadIsRolledBack(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.Edit(enginetest.HostedOptions(`{"kubernetes.operator.deployment.rollback.enabled":"true"}`))
	w.UntilSteady()
	w.Uploads = false
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for range 15 {
		w.Run()
		w.Sleep(time.Minute)
	}
	if s := w.Status(); s.ReconciliationStatus.State != v1beta1.ReconciliationRollingBack {
		t.Fatalf("%+v", s.ReconciliationStatus)
	}
	w.Uploads = true
	w.Sleep(10 * time.Minute)
	for range 5 {
		w.Run()
		w.Sleep(2 * time.Second)
	}
	w.Want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
	if last := w.Runs[len(w.Runs)-1]; last.Parallelism != 2 || last.SavepointPath == "" {
		t.Errorf("%+v", last)
	}
}

// A request that was lost looks like a main method that is slow.
func TestALostRunIsMadeAgainWhenStatusSaysSo(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Snapshot.Operator = flinkconf.NewOperator(flinkconf.Config{"kubernetes.operator.job.submission.timeout": "2 min"})
	w.Asks()
	w.Runs = nil // the process died before it asked
	w.Sleep(time.Second)
	w.Run()
	again := w.Status().Intent.Release.RunAt.Add(2 * time.Minute)
	for _, c := range w.Status().Conditions {
		if c.Type == summary.Reconciling && !strings.Contains(c.Message, again.UTC().Format(time.RFC3339)) {
			t.Errorf("%q does not say that Flink is asked again at %s", c.Message, again)
		}
	}
	for w.Snapshot.Now.Before(again) && len(w.Runs) == 0 {
		w.Sleep(5 * time.Second)
		w.Run()
	}
	if len(w.Runs) != 1 || w.Snapshot.Now.Before(again) {
		t.Errorf("%d runs at %s, want one at %s", len(w.Runs), w.Snapshot.Now, again)
	}
}

// A main method that waits for something submits no job, however often Flink is asked.
func TestAMainThatDoesNotSubmitIsTold(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Unsaid = "context deadline exceeded"
	untilAsked(w, 1)
	for range 19 {
		w.Sleep(time.Minute)
		w.Run()
	}
	if got := stalled(w); got != "" || len(w.Runs) != 2 {
		t.Errorf("stalled by %q after 19 minutes and %d runs: one request may be lost", got, len(w.Runs))
	}
	untilAsked(w, 3)
	for range 5 {
		w.Sleep(time.Minute)
		w.Run()
		if got := stalled(w); got != string(plan.ReasonSubmissionOverdue) {
			t.Fatalf("after %s stalled by %q", w.Snapshot.Now.Sub(enginetest.Start), got)
		}
	}
	told := 0
	for _, e := range w.Events {
		if e.Reason == plan.ReasonSubmissionOverdue {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
	w.Unsaid = "" // it submits
	w.Sleep(10 * time.Minute)
	w.UntilSteady()
	if got := stalled(w); got != "" || w.Status().Error != "" {
		t.Errorf("stalled by %q, error %q", got, w.Status().Error)
	}
}

func TestAMainThatDoesNotSubmitIsCorrected(t *testing.T) {
	for name, spec := range map[string]string{"stateless": enginetest.HostedStateless,
		"stateful": enginetest.HostedStateful("savepoint")} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, spec)
			w.UntilSteady()
			w.Unsaid = "context deadline exceeded"
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--wait-for", "nobody"} })
			untilAsked(w, 2)
			first := w.Runs[1]
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = nil })
			w.Sleep(11 * time.Minute)
			untilAsked(w, 3)
			last := w.Runs[2]
			if len(last.Args) > 0 || last.JobID == first.JobID || last.SavepointPath != first.SavepointPath {
				t.Errorf("%+v, want another job from %q", last, first.SavepointPath)
			}
			w.Unsaid = ""
			w.Sleep(11 * time.Minute)
			w.Jobs = append(w.Jobs, world.Job{
				ID: first.JobID, Name: "etl", State: v1beta1.FlinkJobRunning, StartTime: "1", Tasks: 2, Running: 2,
			}) // the main that hung submits after all
			w.UntilSteady()
			if j, _ := world.FindJob(w.Jobs, first.JobID); !j.State.IsTerminal() {
				t.Errorf("the former job is %s beside its successor", j.State)
			}
		})
	}
}

func TestAMainThatDoesNotSubmitIsSuspended(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.UntilSteady()
	w.Unsaid = "context deadline exceeded"
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--wait-for", "nobody"} })
	untilAsked(w, 2)
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.Sleep(11 * time.Minute)
	w.Run()
	w.Want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.FlinkJobFinished)
	w.Unsaid = ""
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State, s.Job.Args = v1beta1.JobStateRunning, nil })
	w.UntilSteady()
	if last := w.Runs[len(w.Runs)-1]; last.SavepointPath != w.Runs[1].SavepointPath {
		t.Errorf("resumed from %q, want %q", last.SavepointPath, w.Runs[1].SavepointPath)
	}
}

// untilAsked makes rounds, minute by minute, until Flink was asked n times to run a jar.
func untilAsked(w *enginetest.SessionJob, n int) {
	w.T.Helper()
	for range 60 {
		w.Run()
		if len(w.Runs) >= n {
			return
		}
		w.Sleep(time.Minute)
	}
	w.T.Fatalf("%d runs, want %d", len(w.Runs), n)
}

// What was asked of a JobManager that was replaced since does not count: the next one is asked as often.
func TestAReplacedJobManagerIsAskedAsOften(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Uploads = false
	w.Run()
	w.Sleep(submit.UploadTakes)
	w.Run() // asked twice
	w.ReadyAgain()
	w.Run()
	for range 9 {
		w.Sleep(time.Minute)
		w.Run()
	}
	if got := stalled(w); got != "" {
		t.Errorf("stalled by %s after 9 minutes of the new one", got)
	}
	w.Sleep(time.Minute)
	w.Run()
	if got := stalled(w); got != string(plan.ReasonUploadOverdue) {
		t.Errorf("after 10 minutes stalled by %q", got)
	}
}
