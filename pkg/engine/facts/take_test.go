package facts

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The time of a state goes with its path; of one that was restored Flink knows only when that was.
func TestWhenAStateWasTaken(t *testing.T) {
	then := metav1.NewTime(guesttest.Noon.Add(-time.Hour))
	completed := guesttest.Noon.Add(-time.Minute)
	rows := map[string]struct {
		recorded string
		taken    *metav1.Time
		seen     world.Checkpoints
		want     time.Time
	}{
		"the recorded one": {
			"s3://s/1",
			&then,
			world.Checkpoints{Path: "s3://s/1", Completed: completed},
			then.Time,
		},
		"the recorded one, at no time": {
			"s3://s/1",
			nil,
			world.Checkpoints{Path: "s3://s/1", Completed: completed},
			completed,
		},
		"another": {
			"s3://s/1",
			&then,
			world.Checkpoints{Path: "s3://s/2", Completed: completed},
			completed,
		},
		"none, and none is recorded":    {"", &then, world.Checkpoints{Completed: completed}, completed},
		"another, completed at no time": {"s3://s/1", &then, world.Checkpoints{Path: "s3://s/2"}, time.Time{}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Status.JobStatus.UpgradeSavepointPath, s.Resource.Status.JobStatus.StateTaken = row.recorded, row.taken
			})
			var got time.Time
			if at := StateTakenAt(v, row.seen); at != nil {
				got = at.Time
			}
			if !got.Equal(row.want) {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// A job that makes no checkpoints has none, which is not that nobody knows.
func TestWhichCheckpointTimesAreKnown(t *testing.T) {
	for seen, want := range map[string]bool{"present": true, "absent": true, "unknown": false} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Flink.Checkpoints = map[string]plan.Observed[world.Checkpoints]{
				"present": plan.Present(world.Checkpoints{}), "absent": plan.Absent[world.Checkpoints](),
				"unknown": plan.Unknown[world.Checkpoints]("time-out"),
			}[seen]
		})
		if got := checkpointTimes(v); got.IsPresent() != want {
			t.Errorf("%s: %+v, want them known: %t", seen, got, want)
		}
	}
}
