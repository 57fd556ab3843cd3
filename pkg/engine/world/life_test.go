package world_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

func TestWhichSpecNeedsJudging(t *testing.T) {
	accepts := func(kind string, status metav1.ConditionStatus) func(s *world.Seen) {
		return func(s *world.Seen) {
			s.Resource.Status.Conditions = []metav1.Condition{{Type: kind, Status: status}}
		}
	}
	accepted := accepts(summary.SpecAccepted, metav1.ConditionTrue)
	rows := map[string]struct {
		then func(s *world.Seen)
		want bool
	}{
		"it was accepted":         {accepted, false},
		"it was refused":          {accepts(summary.SpecAccepted, metav1.ConditionFalse), true},
		"something else is true":  {accepts(summary.Ready, metav1.ConditionTrue), true},
		"nothing is said":         {func(*world.Seen) {}, true},
		"it is new":               {func(s *world.Seen) { accepted(s); s.Resource.Generation = 2 }, true},
		"nobody can read the new": {func(s *world.Seen) { accepted(s); s.SpecProblem = "no object" }, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := guesttest.NewLife(t, row.then).Seen.NeedsJudging(); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// A spec that is refused in the middle of an upgrade leaves the one before in force, running.
func TestARefusedSpecLeavesTheOneBeforeRunning(t *testing.T) {
	refuse := func(state v1beta1.ReconciliationState, session bool) *world.Look {
		return guesttest.NewLife(t, func(s *world.Seen) {
			if s.Resource.Spec.Job.State = v1beta1.JobStateSuspended; session {
				s.Resource.Spec.Job = nil
			}
			text, err := v1beta1.ReconciledDeployment{Spec: s.Resource.Spec}.Text()
			if err != nil {
				t.Fatal(err)
			}
			s.Resource.Status.ReconciliationStatus.LastReconciledSpec = text
			s.Resource.Status.ReconciliationStatus.State = state
			s.SpecProblem = "it is invalid"
		})
	}
	for state, want := range map[v1beta1.ReconciliationState]v1beta1.JobState{
		v1beta1.ReconciliationUpgrading:   v1beta1.JobStateRunning,
		v1beta1.ReconciliationRollingBack: v1beta1.JobStateRunning,
		v1beta1.ReconciliationDeployed:    v1beta1.JobStateSuspended,
	} {
		v := refuse(state, false)
		if v.Accept(nil); v.Spec.Job.State != want {
			t.Errorf("%s: it is to be %s, want %s", state, v.Spec.Job.State, want)
		}
		v = refuse(state, true)
		if v.Accept(nil); v.Spec.Job != nil {
			t.Errorf("%s: a session got a job", state)
		}
	}
}
