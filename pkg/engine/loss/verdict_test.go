package loss

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestVerdictsAreAsDrawn(t *testing.T) {
	drawn := drawing.Read(t, "verdict.go", "verdicts")
	var shown []string
	for seen, verdict := range verdicts {
		shown = append(shown, string(seen))
		if err := drawn.Holds(string(seen), drawing.Row{"verdict": string(verdict)}); err != nil {
			t.Error(err)
		}
	}
	if err := drawn.Shown("verdicts", shown...); err != nil {
		t.Error(err)
	}
}

// What a suspected run was restored from, by what Flink says of it.
func TestWhatASuspectedRunWasRestoredFrom(t *testing.T) {
	checkpoints := func(first, latest int64, restored *world.Restored) plan.Observed[world.Checkpoints] {
		return plan.Present(world.Checkpoints{First: first, FirstLatest: latest, Restored: restored})
	}
	from := func(number, times int64) *world.Restored {
		return &world.Restored{Number: number, Times: times, Path: "s3://c/a/chk-x"}
	}
	rows := map[string]struct {
		statistics plan.Observed[world.Checkpoints]
		known      string
		given      string
		state      v1beta1.FlinkJobState
		since      time.Duration
		want       Evidence
	}{
		"it cannot be asked":      {plan.Unknown[world.Checkpoints]("away"), "", "", "", time.Hour, restoreUntold},
		"nothing, just suspected": {checkpoints(0, 0, nil), "", "", "", 0, restoreOutdated},
		"nothing":                 {checkpoints(0, 0, nil), "", "", "", time.Hour, restoredNothing},
		"nothing, no statistics":  {plan.Absent[world.Checkpoints](), "", "", "", time.Hour, restoredNothing},
		"another checkpoint": {
			checkpoints(0, 0, from(9, 1)),
			"s3://c/a/chk-7",
			"",
			"",
			time.Hour,
			restoredNewest,
		},
		"an older checkpoint": {
			checkpoints(0, 0, from(3, 1)),
			"s3://c/a/chk-7",
			"",
			"",
			time.Hour,
			restoredOlder,
		},
		"its own, numbers go on": {
			checkpoints(9, 9, from(9, 2)),
			"s3://c/a/chk-7",
			"",
			"",
			time.Hour,
			ownNumbersOn,
		},
		"its own, numbers anew": {
			checkpoints(1, 1, from(3, 2)),
			"s3://c/a/chk-7",
			"",
			"",
			time.Hour,
			ownNumbersAnew,
		},
		"its own, first between 5 and 8": {
			checkpoints(5, 8, from(9, 2)),
			"s3://c/a/chk-7",
			"",
			"",
			time.Hour,
			ownNumbersUnclear,
		},
		"its own, of a given state": {checkpoints(9, 9, from(9, 2)), "", "s3://s/1", "", time.Hour, ownNumbersUnclear},
		"nothing, refused to begin": {
			checkpoints(0, 0, nil), "", v1beta1.LastStatePlaceholder, v1beta1.FlinkJobFailed, time.Hour, neverBegan,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			at := metav1.NewTime(guesttest.Noon.Add(-row.since))
			v := guesttest.NewLife(t, func(s *world.Seen) {
				status := &s.Resource.Status
				status.LostProgress = &v1beta1.LostProgress{Before: "1", Suspected: &at}
				status.JobStatus.StartTime, status.JobStatus.UpgradeSavepointPath = "2", row.given
				status.JobStatus.UpdateTime = "1000"
				if row.known != "" {
					status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a", Path: row.known}
				}
				s.Flink.Checkpoints = row.statistics
			})
			v.Job = &world.Job{State: v1beta1.FlinkJobRunning, Tasks: 1, Running: 1}
			if row.state != "" {
				v.Job = &world.Job{State: row.state, EndTime: guesttest.Noon.Add(-time.Hour)}
			}
			if got, _ := restoredFrom(v); got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// A verdict is written, and told, in one way.
func TestAVerdictIsTold(t *testing.T) {
	for seen, verdict := range verdicts {
		at := metav1.NewTime(guesttest.Noon.Add(-time.Minute))
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Status.LostProgress = &v1beta1.LostProgress{Before: "1", Suspected: &at}
		})
		give(v, seen, "1", "s3://c/1")
		lost := v.Want.LostProgress
		told := map[Verdict]plan.Reason{Lost: plan.ReasonJobRestarted, Unknown: plan.ReasonRestoreNotShown}[verdict]
		switch {
		case (told != "") != (len(v.Events) == 1), told != "" && v.Events[0].Reason != told:
			t.Errorf("%s: told %v, want %q", seen, v.Events, told)
		case (verdict == Safe) != (lost == nil):
			t.Errorf("%s: status.lostProgress is %+v", seen, lost)
		case lost == nil:
		case (verdict == Lost) != (lost.Seen != nil), (verdict == Unknown) != (lost.Unknown != nil):
			t.Errorf("%s: status.lostProgress is %+v, want %s", seen, lost, verdict)
		case verdict == Lost && (lost.Suspected != nil || lost.From != "s3://c/1"):
			t.Errorf("%s: lost from %q, and still suspected: %t", seen, lost.From, lost.Suspected != nil)
		}
	}
}
