package tell

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// What is suspended says so, whatever was deployed before.
func TestASuspendedJobSaysSo(t *testing.T) {
	suspend := func(s *world.Seen) { s.Resource.Spec.Job.State = v1beta1.JobStateSuspended }
	for name, row := range map[string]struct {
		then func(s *world.Seen)
		want bool
	}{
		"it runs":                         {func(*world.Seen) {}, false},
		"it was suspended":                {func(s *world.Seen) { suspend(s); guesttest.Deployed(t, s) }, true},
		"it is to be suspended, and runs": {suspend, false},
		"it is new":                       {guesttest.NeverDeployed, false},
		"it is new, and begins suspended": {func(s *world.Seen) { guesttest.NeverDeployed(s); suspend(s) }, true},
		"it was suspended, and is to run": {func(s *world.Seen) {
			suspend(s)
			guesttest.Deployed(t, s)
			s.Resource.Spec.Job.State = v1beta1.JobStateRunning
		}, true},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Status.JobStatus.State = v1beta1.FlinkJobReconciling
			row.then(s)
		})
		setConditions(v, status.Verdict{Situation: plan.Waiting}, nil)
		got := false
		for _, c := range v.Want.Conditions {
			got = got || c.Type == summary.JobRunning && c.Reason == summary.ReasonSuspended
		}
		if got != row.want {
			t.Errorf("%s: suspended %t; %v", name, got, v.Want.Conditions)
		}
	}
}

func TestSinceWhenItIsInItsLifecycleState(t *testing.T) {
	made, before := metav1.NewTime(guesttest.Noon.Add(-time.Hour)), metav1.NewTime(guesttest.Noon.Add(-time.Minute))
	const created, stable = v1beta1.LifecycleCreated, v1beta1.LifecycleStable
	for name, row := range map[string]struct {
		was, is v1beta1.LifecycleState
		want    time.Time
	}{
		"as it was":                  {stable, stable, before.Time},
		"it was just made":           {"", created, made.Time},
		"it was just made, and runs": {"", stable, guesttest.Noon},
		"it is to begin again":       {stable, created, guesttest.Noon},
		"it has become stable":       {created, stable, guesttest.Noon},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.CreationTimestamp = made
			s.Resource.Status.LifecycleState, s.Resource.Status.LifecycleSince = row.was, &before
		})
		v.Want.LifecycleState = row.is
		if got := lifecycleSince(v); !got.Time.Equal(row.want) {
			t.Errorf("%s: since %s, want %s", name, got, row.want)
		}
	}
}
