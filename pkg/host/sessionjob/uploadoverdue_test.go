package sessionjob

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// stalled is the reason that status has for a person; empty when nobody is called.
func (w *fixture) stalled() string {
	for _, c := range w.status().Conditions {
		if c.Type == summary.Stalled && c.Status == "True" {
			return c.Reason
		}
	}
	return ""
}

func TestAnUploadThatNobodyMakesIsTold(t *testing.T) {
	w := newWorld(t, stateless)
	w.uploads = false
	w.run()
	for range 9 {
		w.sleep(time.Minute)
		w.run()
	}
	if got := w.stalled(); got != "" {
		t.Errorf("stalled by %s after 9 minutes: one request may be lost", got)
	}
	for range 60 {
		w.sleep(time.Minute)
		w.run()
		if got := w.stalled(); w.s.Now.Sub(start) > 11*time.Minute && got != string(plan.ReasonUploadOverdue) {
			t.Fatalf("after %s stalled by %q", w.s.Now.Sub(start), got)
		}
	}
	told := 0
	for _, e := range w.events {
		if e.Reason == plan.ReasonUploadOverdue {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
	w.uploads = true // the function is back
	w.sleep(10 * time.Minute)
	w.untilSteady()
	if got := w.stalled(); got != "" || w.status().Error != "" {
		t.Errorf("stalled by %q, error %q", got, w.status().Error)
	}
}

func TestAnOverdueUploadIsRolledBack(t *testing.T) {
	w := newWorld(t, stateful("savepoint"))
	w.edit(options(`{"kubernetes.operator.deployment.rollback.enabled":"true"}`))
	w.untilSteady()
	w.uploads = false
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for range 15 {
		w.run()
		w.sleep(time.Minute)
	}
	if s := w.status(); s.ReconciliationStatus.State != v1beta1.ReconciliationRollingBack {
		t.Fatalf("%+v", s.ReconciliationStatus)
	}
	w.uploads = true
	w.sleep(10 * time.Minute)
	for range 5 {
		w.run()
		w.sleep(2 * time.Second)
	}
	w.want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
	if last := w.runs[len(w.runs)-1]; last.Parallelism != 2 || last.SavepointPath == "" {
		t.Errorf("%+v", last)
	}
}

// A request that was lost looks like a main method that is slow.
func TestALostRunIsMadeAgainWhenStatusSaysSo(t *testing.T) {
	w := newWorld(t, stateless)
	w.s.Operator = flinkconf.NewOperator(flinkconf.Config{"kubernetes.operator.job.submission.timeout": "2 min"})
	w.asks()
	w.runs = nil // the process died before it asked
	w.sleep(time.Second)
	w.run()
	again := w.status().Intent.Release.RunAt.Add(2 * time.Minute)
	for _, c := range w.status().Conditions {
		if c.Type == summary.Reconciling && !strings.Contains(c.Message, again.UTC().Format(time.RFC3339)) {
			t.Errorf("%q does not say that Flink is asked again at %s", c.Message, again)
		}
	}
	for w.s.Now.Before(again) && len(w.runs) == 0 {
		w.sleep(5 * time.Second)
		w.run()
	}
	if len(w.runs) != 1 || w.s.Now.Before(again) {
		t.Errorf("%d runs at %s, want one at %s", len(w.runs), w.s.Now, again)
	}
}

// A main method that waits for something submits no job, however often Flink is asked.
func TestAMainThatDoesNotSubmitIsTold(t *testing.T) {
	w := newWorld(t, stateless)
	w.unsaid = "context deadline exceeded"
	w.untilAsked(1)
	for range 19 {
		w.sleep(time.Minute)
		w.run()
	}
	if got := w.stalled(); got != "" || len(w.runs) != 2 {
		t.Errorf("stalled by %q after 19 minutes and %d runs: one request may be lost", got, len(w.runs))
	}
	w.untilAsked(3)
	for range 5 {
		w.sleep(time.Minute)
		w.run()
		if got := w.stalled(); got != string(plan.ReasonSubmissionOverdue) {
			t.Fatalf("after %s stalled by %q", w.s.Now.Sub(start), got)
		}
	}
	told := 0
	for _, e := range w.events {
		if e.Reason == plan.ReasonSubmissionOverdue {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
	w.unsaid = "" // it submits
	w.sleep(10 * time.Minute)
	w.untilSteady()
	if got := w.stalled(); got != "" || w.status().Error != "" {
		t.Errorf("stalled by %q, error %q", got, w.status().Error)
	}
}

func TestAMainThatDoesNotSubmitIsCorrected(t *testing.T) {
	for name, spec := range map[string]string{"stateless": stateless, "stateful": stateful("savepoint")} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, spec)
			w.untilSteady()
			w.unsaid = "context deadline exceeded"
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--wait-for", "nobody"} })
			w.untilAsked(2)
			first := w.runs[1]
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = nil })
			w.sleep(11 * time.Minute)
			w.untilAsked(3)
			last := w.runs[2]
			if len(last.Args) > 0 || last.JobID == first.JobID || last.SavepointPath != first.SavepointPath {
				t.Errorf("%+v, want another job from %q", last, first.SavepointPath)
			}
			w.unsaid = ""
			w.sleep(11 * time.Minute)
			w.jobs = append(w.jobs, world.Job{
				ID: first.JobID, Name: "etl", State: v1beta1.FlinkJobRunning, StartTime: "1", Tasks: 2, Running: 2,
			}) // the main that hung submits after all
			w.untilSteady()
			if j, _ := world.FindJob(w.jobs, first.JobID); !j.State.IsTerminal() {
				t.Errorf("the former job is %s beside its successor", j.State)
			}
		})
	}
}

func TestAMainThatDoesNotSubmitIsSuspended(t *testing.T) {
	w := newWorld(t, stateful("savepoint"))
	w.untilSteady()
	w.unsaid = "context deadline exceeded"
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Args = []string{"--wait-for", "nobody"} })
	w.untilAsked(2)
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.sleep(11 * time.Minute)
	w.run()
	w.want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.FlinkJobFinished)
	w.unsaid = ""
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State, s.Job.Args = v1beta1.JobStateRunning, nil })
	w.untilSteady()
	if last := w.runs[len(w.runs)-1]; last.SavepointPath != w.runs[1].SavepointPath {
		t.Errorf("resumed from %q, want %q", last.SavepointPath, w.runs[1].SavepointPath)
	}
}

// untilAsked makes rounds, minute by minute, until Flink was asked n times to run a jar.
func (w *fixture) untilAsked(n int) {
	w.t.Helper()
	for range 60 {
		w.run()
		if len(w.runs) >= n {
			return
		}
		w.sleep(time.Minute)
	}
	w.t.Fatalf("%d runs, want %d", len(w.runs), n)
}

// What was asked of a JobManager that was replaced since does not count: the next one is asked as often.
func TestAReplacedJobManagerIsAskedAsOften(t *testing.T) {
	w := newWorld(t, stateless)
	w.uploads = false
	w.run()
	w.sleep(submit.UploadTakes)
	w.run() // asked twice
	w.readyAgain()
	w.run()
	for range 9 {
		w.sleep(time.Minute)
		w.run()
	}
	if got := w.stalled(); got != "" {
		t.Errorf("stalled by %s after 9 minutes of the new one", got)
	}
	w.sleep(time.Minute)
	w.run()
	if got := w.stalled(); got != string(plan.ReasonUploadOverdue) {
		t.Errorf("after 10 minutes stalled by %q", got)
	}
}
