package world_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A JobManager that does not answer keeps its job's last word for a minute, from when that was heard or its pod became
// ready.
func TestHowLongAJobManagerMayBeSilent(t *testing.T) {
	for name, row := range map[string]struct {
		jobManager v1beta1.JobManagerDeploymentStatus
		state      v1beta1.FlinkJobState
		heard      time.Duration
		want       bool
	}{
		"since a moment":   {v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling, time.Second, true},
		"since a minute":   {v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling, time.Minute, false},
		"it answers":       {v1beta1.JobManagerReady, v1beta1.FlinkJobReconciling, time.Second, false},
		"its job is known": {v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobRunning, time.Second, false},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {})
		v.Want.JobManagerDeploymentStatus, v.Want.JobStatus.State = row.jobManager, row.state
		v.Want.JobStatus.UpdateTime = strconv.FormatInt(guesttest.Noon.Add(-row.heard).UnixMilli(), 10)
		if got := world.Unanswered(v); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}

func TestWhatAValidatorSays(t *testing.T) {
	for name, row := range map[string]struct {
		judged world.Judged
		want   plan.Reason
	}{
		"nothing":             {world.Judged{}, ""},
		"yes":                 {world.Judged{Verdict: &v1beta1.Verdict{}}, ""},
		"no":                  {world.Judged{Verdict: &v1beta1.Verdict{Refusal: "no"}}, plan.ReasonRefusedByValidator},
		"one does not answer": {world.Judged{Unanswered: "it"}, plan.ReasonValidatorUnavailable},
		"one says no, one nothing": {
			world.Judged{Unanswered: "it", Verdict: &v1beta1.Verdict{Refusal: "no"}}, plan.ReasonValidatorUnavailable,
		},
	} {
		if got := row.judged.Objection().Reason; got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// A round begins an operation where it stores an intent and none was open.
func TestWhichRoundBeginsAnOperation(t *testing.T) {
	intent := func(id string, step v1beta1.IntentStep) *v1beta1.Intent {
		return &v1beta1.Intent{OperationID: id, Step: step}
	}
	for name, row := range map[string]struct {
		was, is *v1beta1.Intent
		want    bool
	}{
		"none":                       {nil, nil, false},
		"the first":                  {nil, intent("1", v1beta1.StepStarting), true},
		"the same":                   {intent("1", v1beta1.StepStarting), intent("1", v1beta1.StepReleased), false},
		"after one that is released": {intent("1", v1beta1.StepReleased), intent("2", v1beta1.StepStopping), true},
		"in place of an open one":    {intent("1", v1beta1.StepStopping), intent("2", v1beta1.StepStarting), false},
		"its end":                    {intent("1", v1beta1.StepReleased), nil, false},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Intent = row.was })
		if v.Want.Intent = row.is; v.BeginsOperation() != row.want {
			t.Errorf("%s: %t, want %t", name, !row.want, row.want)
		}
	}
}
