package deployment

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
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
			w := stable(t, stateful)
			w.edit(upgradeImage)
			w.run()
			w.stopWith(world.StopProgress{State: world.StopInProgress})
			w.s.Now = w.s.Now.Add(row.after)
			if more := Open(w.s).Flink(); row.over && !more.Retention {
				t.Error("Flink is not asked how long a savepoint may take")
			}
			w.s.Flink.CheckpointTimeout = row.says
			w.run()
			if c := w.condition(summary.Stalled); (c.Reason == "StopOverdue") != row.over {
				t.Errorf("stalled as %q, want overdue %t; rounds %q", c.Reason, row.over, w.log)
			}
		})
	}
}

func TestAChangeWaitsForTheFirstCheckpointAsLongAsFlinkDoes(t *testing.T) {
	for name, row := range checkpointTimes {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = without(haMaps(w.status().JobStatus.JobID))
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "s3://s/savepoint-1", Completed: start})
			w.s.Now = w.s.Now.Add(row.after)
			w.edit(upgradeImage)
			if !Open(w.s).Flink().Retention {
				t.Error("Flink is not asked how long a checkpoint may take")
			}
			w.s.Flink.CheckpointTimeout = row.says
			w.run()
			waits := w.condition(summary.Reconciling).Reason == string(plan.ReasonCheckpointPending)
			if s := w.status().Situation; waits == row.over || row.over != (s == string(plan.StateLost)) {
				t.Errorf("waits %t in %s, want an end of the wait %t; rounds %q", waits, s, row.over, w.log)
			}
		})
	}
}

// What the code of a job says is kept in status while it differs from the configuration, for the moments at which Flink
// cannot be asked, and not longer than for that start.
func TestTheTimeOfACheckpointIsKeptForTheJob(t *testing.T) {
	w := stable(t, stateful)
	w.edit(upgradeImage)
	w.s.Flink.CheckpointTimeout = plan.Present(time.Hour)
	w.run()
	w.stopWith(world.StopProgress{State: world.StopInProgress})
	for _, row := range []struct {
		says plan.Observed[time.Duration]
		want time.Duration
	}{
		{plan.Present(time.Hour), time.Hour}, {plan.Unknown[time.Duration]("503"), time.Hour},
		{plan.Present(10 * time.Minute), 0},
	} {
		w.s.Flink.CheckpointTimeout = row.says
		w.run()
		if got := w.status().JobStatus.CheckpointTimeoutOr(0); got != row.want {
			t.Errorf("kept %s when Flink says %v, want %s; rounds %q", got, row.says, row.want, w.log)
		}
		w.s.Now = w.s.Now.Add(62 * time.Minute) // it is asked again
	}
}
