package record

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
)

// Each mark changes the part of the status that it names.
func TestWhatAMarkChanges(t *testing.T) {
	rows := map[decision.Mark]func(v *world.Look) bool{
		decision.Untouched:    func(v *world.Look) bool { return v.Untouched },
		decision.Copied:       func(v *world.Look) bool { return v.IsCopy },
		decision.ErrorCleared: func(v *world.Look) bool { return v.Want.Error == "" },
		decision.NoJobManager: func(v *world.Look) bool {
			return v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing
		},
		decision.Deployed:   func(v *world.Look) bool { return v.Deployed == 5 },
		decision.NotRetried: func(v *world.Look) bool { return v.Want.Retry == nil },
		decision.Stable: func(v *world.Look) bool {
			r := v.Want.ReconciliationStatus
			return r.LastStableSpec == r.LastReconciledSpec
		},
		decision.RolledForward: func(v *world.Look) bool {
			return v.Want.ReconciliationStatus.State == v1beta1.ReconciliationDeployed && v.Last.Spec.Image == "new"
		},
		decision.Reset: func(v *world.Look) bool {
			nonce := v.Last.Spec.Job.AutoscalerResetNonce
			return nonce != nil && *nonce == 2
		},
		decision.Rescaling: func(v *world.Look) bool { return v.Want.Rescaling },
		decision.Scaled: func(v *world.Look) bool {
			return v.Last.Spec.Image == "new" && v.Last.Spec.Job.UpgradeMode == v1beta1.UpgradeModeSavepoint &&
				v.Deployed == 5
		},
		decision.HealthForgotten: func(v *world.Look) bool { return v.Want.ClusterInfo[health.Key] == "" },
	}
	two := int64(2)
	for mark, is := range rows {
		t.Run(string(mark), func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Generation, s.Resource.Spec.Image = 5, "new"
				s.Resource.Spec.Job.AutoscalerResetNonce = &two
				status := &s.Resource.Status
				status.Error, status.Retry = "an error", &v1beta1.Retry{}
				status.ClusterInfo = map[string]string{health.Key: "a record"}
				status.JobManagerDeploymentStatus = v1beta1.JobManagerReady
				status.ReconciliationStatus.LastStableSpec = "another"
				if mark == decision.RolledForward {
					status.ReconciliationStatus.State = v1beta1.ReconciliationRolledBack
				}
			})
			v.Job = &world.Job{State: v1beta1.FlinkJobRunning}
			if is(v) {
				t.Fatal("it is so before the mark")
			}
			if Mark(v, mark); !is(v) {
				t.Errorf("after the mark status is %+v, deployed %d, last %+v", v.Want, v.Deployed, v.Last.Spec)
			}
		})
	}
}

// What is not stable is not marked as that.
func TestWhatDoesNotRunWellIsNotStable(t *testing.T) {
	v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.ReconciliationStatus.LastStableSpec = "another" })
	if Mark(v, decision.Stable); v.Want.ReconciliationStatus.LastStableSpec != "another" {
		t.Errorf("the stable spec is %s", v.Want.ReconciliationStatus.LastStableSpec)
	}
}

// An error is told where it is new; without one status.error stays.
func TestAnErrorIsToldOnce(t *testing.T) {
	event := plan.Event{Reason: "Because", Message: "it failed"}
	rows := map[string]struct {
		stored string
		shown  *decision.Shown
		want   string
		told   int
	}{
		"a new one":        {shown: &decision.Shown{Error: "e", Event: &event}, want: "e", told: 1},
		"the same":         {stored: "e", shown: &decision.Shown{Error: "e", Event: &event}, want: "e"},
		"without an event": {shown: &decision.Shown{Error: "e"}, want: "e"},
		"none":             {stored: "e", want: "e"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Error = row.stored })
			if Show(v, row.shown); v.Want.Error != row.want {
				t.Errorf("status.error %q, want %q", v.Want.Error, row.want)
			}
			if len(v.Events) != row.told {
				t.Errorf("%d events, want %d", len(v.Events), row.told)
			}
		})
	}
}

// Events of an operation are told once it has begun, before what it does; others at once.
func TestWhenEventsAreTold(t *testing.T) {
	why, does := plan.Event{Reason: "Why"}, plan.Event{Reason: "Does"}
	reasons := func(v *world.Look) []string {
		var all []string
		for _, e := range v.Events {
			all = append(all, string(e.Reason))
		}
		return all
	}
	for name, d := range map[string]decision.Decision{
		"a stop":  {Stop: &decision.Stop{}, Events: []plan.Event{why}, Begun: []decision.Mark{decision.NotRetried}},
		"a start": {Start: &decision.Start{}, Events: []plan.Event{why}, Begun: []decision.Mark{decision.NotRetried}},
	} {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Retry = &v1beta1.Retry{} })
			if Decided(v, d); len(v.Events) != 0 || v.Want.Retry == nil {
				t.Errorf("before it has begun: %q, retry %+v", reasons(v), v.Want.Retry)
			}
			v.Tell(does)
			Begun(v, d, 0)
			if diff := cmp.Diff([]string{"Why", "Does"}, reasons(v)); diff != "" {
				t.Errorf("once it has begun (-want +got):\n%s", diff)
			}
			if v.Want.Retry != nil {
				t.Errorf("the marks of its beginning are not written: retry %+v", v.Want.Retry)
			}
		})
	}
	v := guesttest.NewLife(t, func(*world.Seen) {})
	v.Autoscaler = &world.StoredAutoscaler{}
	Decided(v, decision.Decision{
		Events: []plan.Event{why}, Also: []plan.Action{plan.WakeClock{}}, Found: decision.Found{Pending: &plan.Cause{}},
		Scaling: &decision.Scaling{LacksRoom: true, Err: errors.New("no metrics")},
	})
	if diff := cmp.Diff([]string{"Why"}, reasons(v)); diff != "" {
		t.Errorf("of a decision that begins nothing (-want +got):\n%s", diff)
	}
	if len(v.Also) != 1 || v.Found.Pending == nil {
		t.Errorf("also %v, pending %v; want what the decision says", v.Also, v.Found.Pending)
	}
	if !v.Autoscaler.LacksRoom || v.Autoscaler.Err == nil {
		t.Errorf("the autoscaler lacks room: %t, error %v", v.Autoscaler.LacksRoom, v.Autoscaler.Err)
	}
}
