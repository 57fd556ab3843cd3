package operation_test

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// How long a checkpoint may take is Flink's word (FLINK-37354): the job's code may set it. What Flink was asked for and
// did not say is no verdict.
var checkpointTimes = map[string]struct {
	after time.Duration
	says  plan.Observed[time.Duration]
	over  bool
}{
	"as configured, in time":                {9 * time.Minute, plan.Present(10 * time.Minute), false},
	"as configured, too long":               {12 * time.Minute, plan.Present(10 * time.Minute), true},
	"an hour by the code, in time":          {59 * time.Minute, plan.Present(time.Hour), false},
	"an hour by the code, too long":         {62 * time.Minute, plan.Present(time.Hour), true},
	"Flink does not say":                    {time.Hour, plan.Unknown[time.Duration]("503"), false},
	"the job makes none, and it takes long": {12 * time.Minute, plan.Absent[time.Duration](), true},
}

func TestAStopIsOverdueWhenFlinkWouldHaveGivenItUp(t *testing.T) {
	for name, row := range checkpointTimes {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopInProgress})
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			if more := deployment.Open(w.Snapshot).Flink(); row.over && !more.Retention {
				t.Error("Flink is not asked how long a savepoint may take")
			}
			w.Snapshot.Flink.CheckpointTimeout = row.says
			w.Run()
			if c := w.Condition(summary.Stalled); (c.Reason == "StopOverdue") != row.over {
				t.Errorf("stalled as %q, want overdue %t; rounds %q", c.Reason, row.over, w.Log)
			}
		})
	}
}

func TestAChangeWaitsForTheFirstCheckpointAsLongAsFlinkDoes(t *testing.T) {
	for name, row := range checkpointTimes {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.Without(enginetest.HaMaps(w.Status().JobStatus.JobID))
			w.Snapshot.Flink.Checkpoints = plan.Present(
				world.Checkpoints{Path: "s3://s/savepoint-1", Completed: enginetest.Start},
			)
			w.Snapshot.Now = w.Snapshot.Now.Add(row.after)
			w.Edit(enginetest.UpgradeImage)
			if !deployment.Open(w.Snapshot).Flink().Retention {
				t.Error("Flink is not asked how long a checkpoint may take")
			}
			w.Snapshot.Flink.CheckpointTimeout = row.says
			w.Run()
			waits := w.Condition(summary.Reconciling).Reason == string(plan.ReasonCheckpointPending)
			if s := w.Status().Situation; waits == row.over || row.over != (s == string(plan.StateLost)) {
				t.Errorf("waits %t in %s, want an end of the wait %t; rounds %q", waits, s, row.over, w.Log)
			}
		})
	}
}

// What the code of a job says is kept in status while it differs from the configuration, for the moments at which Flink
// cannot be asked, and not longer than for that start.
func TestTheTimeOfACheckpointIsKeptForTheJob(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(enginetest.UpgradeImage)
	w.Snapshot.Flink.CheckpointTimeout = plan.Present(time.Hour)
	w.Run()
	w.StopWith(world.StopProgress{State: world.StopInProgress})
	for _, row := range []struct {
		says plan.Observed[time.Duration]
		want time.Duration
	}{
		{plan.Present(time.Hour), time.Hour}, {plan.Unknown[time.Duration]("503"), time.Hour},
		{plan.Present(10 * time.Minute), 0},
	} {
		w.Snapshot.Flink.CheckpointTimeout = row.says
		w.Run()
		if got := w.Status().JobStatus.CheckpointTimeoutOr(0); got != row.want {
			t.Errorf("kept %s when Flink says %v, want %s; rounds %q", got, row.says, row.want, w.Log)
		}
		w.Snapshot.Now = w.Snapshot.Now.Add(62 * time.Minute) // it is asked again
	}
}
