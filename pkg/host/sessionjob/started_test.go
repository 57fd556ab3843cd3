package sessionjob

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// messages are those of the events of a reason, in their order.
func (w *fixture) messages(reason plan.Reason) []string {
	var all []string
	for _, e := range w.events {
		if e.Reason == reason {
			all = append(all, e.Message)
		}
	}
	return all
}

// An event and status say which state a session job was started from, of when, and why.
func TestAStartSaysWhichStateItIsFrom(t *testing.T) {
	const minute, seen = time.Minute, time.Minute + 20*time.Second // seen: when a look finds the savepoint of an upgrade
	savepoint := func(path, reason string) v1beta1.StartPoint {
		return v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: path, Reason: reason}
	}
	empty := func(reason string) v1beta1.StartPoint {
		return v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: reason}
	}
	upgrades := func(w *fixture) {
		w.sleep(minute)
		w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		w.run()
		w.sleep(20 * time.Second)
	}
	state := func(w *fixture, state v1beta1.JobState) {
		w.sleep(minute)
		w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = state })
		w.run()
		w.run()
	}
	rows := map[string]struct {
		mode    string
		prepare func(s *v1beta1.FlinkSessionJobSpec)
		story   func(w *fixture)
		want    v1beta1.StartPoint
		taken   time.Duration // after the story began; zero: nothing says when
		message string
	}{
		"a first start": {"savepoint", nil, nil, empty("FirstStart"), 0,
			"Starting deployment without state (FirstStart)"},
		"a first start from a savepoint": {"savepoint", func(s *v1beta1.FlinkSessionJobSpec) {
			s.Job.InitialSavepointPath = "file:///given"
		}, nil, savepoint("file:///given", "InitialSavepointPath"), 0,
			"Starting deployment from file:///given (InitialSavepointPath)"},
		"a savepoint upgrade": {
			"savepoint",
			nil,
			upgrades,
			savepoint("file:///s/savepoint-1", "StopWithSavepoint"),
			seen,
			"Starting deployment from file:///s/savepoint-1 of 2026-11-21T12:01:20Z (StopWithSavepoint)",
		},
		"a stateless upgrade": {"stateless", nil, upgrades, empty("Stateless"), 0,
			"Starting deployment without state (Stateless)"},
		"a last-state upgrade": {"last-state", nil, func(w *fixture) {
			w.sleep(minute)
			w.checkpointed("file:///c/chk-7")
			upgrades(w)
		}, savepoint("file:///c/chk-7", "NewestCheckpoint"), minute,
			"Starting deployment from file:///c/chk-7 of 2026-11-21T12:01:00Z (NewestCheckpoint)"},
		"a resumption": {"savepoint", nil, func(w *fixture) {
			state(w, v1beta1.JobStateSuspended)
			w.sleep(time.Hour)
			state(w, v1beta1.JobStateRunning)
		}, savepoint("file:///s/savepoint-1", "RecordedPath"), minute,
			"Starting deployment from file:///s/savepoint-1 of 2026-11-21T12:01:00Z (RecordedPath)"},
		"a change of a job that has failed": {"savepoint", nil, func(w *fixture) {
			w.s.Flink.Checkpoints = plan.Present(
				world.Checkpoints{Path: "file:///c/chk-7", Completed: start.Add(minute)},
			)
			w.sleep(2 * minute)
			w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.sleep(minute)
			w.run()
			upgrades(w)
		}, savepoint("file:///c/chk-7", "RecordedPath"), minute,
			"Starting deployment from file:///c/chk-7 of 2026-11-21T12:01:00Z (RecordedPath)"},
		"a stateless job that was cancelled": {"stateless", nil, func(w *fixture) {
			w.sleep(minute)
			w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobCanceled)
			w.run()
		}, empty("Stateless"), 0, "Starting deployment without state (Stateless)"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateful(row.mode))
			if row.prepare != nil {
				w.edit(row.prepare)
			}
			w.untilSteady()
			starts := 1
			if row.story != nil {
				row.story(w)
				w.untilSteady()
				starts++
			}
			if row.taken > 0 {
				at := metav1.NewTime(start.Add(row.taken))
				row.want.Taken = &at
			}
			for range 2 { // a later look changes nothing
				if from := w.status().JobStatus.StartedFrom; from == nil ||
					!equality.Semantic.DeepEqual(*from, row.want) {
					t.Errorf("%+v, want %+v; %q", from, row.want, w.log)
				}
				w.sleep(minute)
				w.run()
			}
			told := w.messages(plan.ReasonSubmit)
			if len(told) != starts || told[len(told)-1] != row.message ||
				w.runs[len(w.runs)-1].SavepointPath != row.want.Path {
				t.Errorf("told %q, want %d, the last %q", told, starts, row.message)
			}
		})
	}
}
