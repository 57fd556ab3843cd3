package facts

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestLastStateIsAsDrawn(t *testing.T) {
	const own, other = "s3://c/aa/chk-7", "s3://s/savepoint-1"
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	found := plan.Present[world.Checkpoints]
	none, silent := plan.Absent[world.Checkpoints](), plan.Unknown[world.Checkpoints]("time-out")
	kept := plan.Present(upgrade.Retention{Cancelled: true, Failed: true, Periodic: true})
	onFailure := plan.Present(upgrade.Retention{Failed: true, Periodic: true})
	unasked := plan.Unknown[upgrade.Retention]("time-out")
	const failed, cancelled, finished = v1beta1.FlinkJobFailed, v1beta1.FlinkJobCanceled, v1beta1.FlinkJobFinished
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row         string
		state       v1beta1.FlinkJobState
		checkpoints plan.Observed[world.Checkpoints]
		retention   plan.Observed[upgrade.Retention]
		then        func(s *world.Seen, j *world.Job)
		path        string
	}{
		"ended just now": {"N1", failed, found(world.Checkpoints{Path: own}), kept, func(_ *world.Seen, j *world.Job) {
			j.EndTime = now
		}, ""},
		"cancelled without a graph, seen just now": {"N1", cancelled, none, kept, func(s *world.Seen, j *world.Job) {
			s.Flink.NoGraph, j.EndTime = true, time.Time{}
			s.Resource.Status.JobStatus.UpdateTime = strconv.FormatInt(now.UnixMilli(), 10)
		}, ""},
		"nobody could ask": {"N2", failed, silent, kept, nil, "time-out"},
		"one was completed once": {"N3", failed, none, kept, func(s *world.Seen, _ *world.Job) {
			s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "aa"}
		}, ""},
		"no graph": {"N4", failed, none, kept, func(s *world.Seen, _ *world.Job) { s.Flink.NoGraph = true }, ""},
		"no graph, and no word of the retention": {
			"N5", failed, none, unasked, func(s *world.Seen, _ *world.Job) { s.Flink.NoGraph = true }, "time-out",
		},
		"no checkpoint":           {"N6", failed, none, kept, nil, ""},
		"no checkpoint, finished": {"N6", finished, none, kept, nil, ""},
		"discarded":               {"N7", failed, found(world.Checkpoints{Path: own, Discarded: true}), kept, nil, ""},
		"discarded, finished":     {"N8", finished, found(world.Checkpoints{Discarded: true}), kept, nil, ""},
		"discarded, finished, own": {
			"N8",
			finished,
			found(world.Checkpoints{Path: own, Discarded: true}),
			kept,
			nil,
			"",
		},
		"discarded, a savepoint left": {"N9", finished, stopped(other, true), kept, nil, other},
		"has no path":                 {"N10", failed, found(world.Checkpoints{}), kept, nil, ""},
		"finished with a checkpoint":  {"N11", finished, found(world.Checkpoints{Path: own}), kept, nil, own},
		"failed after a savepoint":    {"N11", failed, stopped(other, false), kept, nil, other},
		"failed, began from another": {
			"N11",
			failed,
			found(world.Checkpoints{Path: "s3://c/bb/chk-2", Kind: world.KindRestored}),
			kept,
			nil,
			"s3://c/bb/chk-2",
		},
		"nobody knows whether it is kept": {"N12", failed, found(world.Checkpoints{Path: own}), unasked, nil, "time-out"},
		"kept on failure, cancelled":      {"N13", cancelled, found(world.Checkpoints{Path: own}), onFailure, nil, ""},
		"kept on failure, failed":         {"N14", failed, found(world.Checkpoints{Path: own}), onFailure, nil, own},
		"kept":                            {"N14", cancelled, found(world.Checkpoints{Path: own}), kept, nil, own},
		"failed, began from its own chk-7": {
			"N14", failed, found(world.Checkpoints{Path: own, Kind: world.KindRestored}), kept, nil, own,
		},
	}
	drawn := drawing.Read(t, "laststate.go", "LastStateOf")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			r := &v1beta1.FlinkDeployment{}
			r.Namespace, r.Name = "default", "demo"
			r.Status.JobStatus.JobID = "aa"
			if err := json.Unmarshal(
				[]byte(`{"flinkVersion":"v1_20","job":{"upgradeMode":"savepoint"}}`),
				&r.Spec,
			); err != nil {
				t.Fatal(err)
			}
			seen := world.Seen{Now: now, Operator: flinkconf.NewOperator(nil), Resource: r}
			seen.Flink.Clock, seen.Flink.Checkpoints, seen.Flink.Retention = now, row.checkpoints, row.retention
			j := world.Job{ID: "aa", State: row.state, EndTime: now.Add(-time.Minute)}
			if row.then != nil {
				row.then(&seen, &j)
			}
			v := world.New(&seen)
			g := &guesttest.Guest{Look: v}
			v.Host, v.Starter, v.Stopper = g, guesttest.Steps{}, guesttest.Steps{}
			answer, path := LastStateOf(v, j)
			if err := drawn.Holds(row.row, drawing.Row{"answer": string(answer)}); err != nil {
				t.Error(err)
			}
			if path != row.path {
				t.Errorf("text %q, want %q", path, row.path)
			}
		})
	}
	if err := drawn.Shown("of", shown...); err != nil {
		t.Error(err)
	}
}

// stopped are the statistics of a job whose newest state is a savepoint.
func stopped(path string, discarded bool) plan.Observed[world.Checkpoints] {
	return plan.Present(world.Checkpoints{Path: path, Kind: world.KindSavepoint, Discarded: discarded})
}
