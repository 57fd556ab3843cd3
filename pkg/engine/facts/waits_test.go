package facts

import (
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
)

// A job is missed when status has waited for it for long: one that was deployed, of an application.
func TestWhichJobIsMissed(t *testing.T) {
	in := func(state v1beta1.FlinkJobState) func(s *world.Seen) {
		return func(s *world.Seen) {
			status := &s.Resource.Status.JobStatus
			status.State, status.UpdateTime = state, strconv.FormatInt(guesttest.Noon.Add(-time.Hour).UnixMilli(), 10)
		}
	}
	waits := in(v1beta1.FlinkJobReconciling)
	rows := map[string]struct {
		then func(s *world.Seen)
		want bool
	}{
		"it is waited for":      {waits, true},
		"it runs":               {in(v1beta1.FlinkJobRunning), false},
		"it was never deployed": {func(s *world.Seen) { waits(s); guesttest.NeverDeployed(s) }, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := MissesItsJob(guesttest.NewLife(t, row.then)); got != row.want {
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
		if got := TellsTooLarge(c); got != want {
			t.Errorf("%s, %s: %t, want %t", c.Type, c.Reason, got, want)
		}
	}
}
