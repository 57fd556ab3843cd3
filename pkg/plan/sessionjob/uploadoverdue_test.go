package sessionjob

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// stalled is the reason that status has for a person; empty when nobody is called.
func (w *world) stalled() string {
	for _, c := range w.status().Conditions {
		if c.Type == summary.Stalled && c.Status == "True" {
			return c.Reason
		}
	}
	return ""
}

// R12
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
	w.edit(options(`{"kubernetes.operator.job.submission.timeout":"2 min"}`))
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
