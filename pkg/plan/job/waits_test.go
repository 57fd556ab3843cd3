package job

import (
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A JobManager that is ready and lists no job either has not submitted it yet, or has lost it.
func TestWhatAReadyJobManagerIsWaitedFor(t *testing.T) {
	rows := map[string]struct {
		listed bool
		start  string
		want   plan.Reason
	}{
		"it never ran":         {false, "", plan.ReasonJobNotRunning},
		"it ran":               {false, "1700000000000", plan.ReasonJobNotListed},
		"it is listed":         {true, "1700000000000", plan.ReasonJobNotRunning},
		"it is, and never ran": {true, "", plan.ReasonJobNotRunning},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, func(s *Seen) {
				s.Resource.Status.JobManagerDeploymentStatus = v1beta1.JobManagerReady
				s.Resource.Status.JobStatus.StartTime = row.start
			})
			if row.listed {
				v.Job = &Job{State: v1beta1.FlinkJobInitializing}
			}
			if got := settling(v).waitsFor(nil).Reason; got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// A job is missed when status has waited for it for long: one that was deployed, of an application.
func TestWhichJobIsMissed(t *testing.T) {
	in := func(state v1beta1.FlinkJobState) func(s *Seen) {
		return func(s *Seen) {
			status := &s.Resource.Status.JobStatus
			status.State, status.UpdateTime = state, strconv.FormatInt(noon.Add(-time.Hour).UnixMilli(), 10)
		}
	}
	waits := in(v1beta1.FlinkJobReconciling)
	rows := map[string]struct {
		then func(s *Seen)
		want bool
	}{
		"it is waited for":      {waits, true},
		"it runs":               {in(v1beta1.FlinkJobRunning), false},
		"it was never deployed": {func(s *Seen) { waits(s); neverDeployed(s) }, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := MissesItsJob(newLife(t, row.then)); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// Only the condition that a refused write leaves says that a status was too large.
func TestWhichConditionTellsOfALargeStatus(t *testing.T) {
	for c, want := range map[metav1.Condition]bool{
		{Type: summary.Stalled, Reason: fail.ReasonTooLarge}: true,
		{Type: summary.Stalled, Reason: "CancelOverdue"}:     false,
		{Type: summary.Ready, Reason: fail.ReasonTooLarge}:   false,
	} {
		if got := toldTooLarge(c); got != want {
			t.Errorf("%s, %s: %t, want %t", c.Type, c.Reason, got, want)
		}
	}
}
