package operation_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// An event and status say which state a session job was started from, of when, and why.
func TestAStartSaysWhichStateItIsFromOfASessionJob(t *testing.T) {
	const minute, seen = time.Minute, time.Minute + 20*time.Second // seen: when a look finds the savepoint of an upgrade
	savepoint := func(path, reason string) v1beta1.StartPoint {
		return v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: path, Reason: reason}
	}
	empty := func(reason string) v1beta1.StartPoint {
		return v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: reason}
	}
	upgrades := func(w *enginetest.SessionJob) {
		w.Sleep(minute)
		w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		w.Run()
		w.Sleep(20 * time.Second)
	}
	state := func(w *enginetest.SessionJob, state v1beta1.JobState) {
		w.Sleep(minute)
		w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = state })
		w.Run()
		w.Run()
	}
	rows := map[string]struct {
		mode    string
		prepare func(s *v1beta1.FlinkSessionJobSpec)
		story   func(w *enginetest.SessionJob)
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
		"a last-state upgrade": {"last-state", nil, func(w *enginetest.SessionJob) {
			w.Sleep(minute)
			w.Checkpointed("file:///c/chk-7")
			upgrades(w)
		}, savepoint("file:///c/chk-7", "NewestCheckpoint"), minute,
			"Starting deployment from file:///c/chk-7 of 2026-11-21T12:01:00Z (NewestCheckpoint)"},
		"a resumption": {"savepoint", nil, func(w *enginetest.SessionJob) {
			state(w, v1beta1.JobStateSuspended)
			w.Sleep(time.Hour)
			state(w, v1beta1.JobStateRunning)
		}, savepoint("file:///s/savepoint-1", "RecordedPath"), minute,
			"Starting deployment from file:///s/savepoint-1 of 2026-11-21T12:01:00Z (RecordedPath)"},
		"a change of a job that has failed": {"savepoint", nil, func(w *enginetest.SessionJob) {
			w.Snapshot.Flink.Checkpoints = plan.Present(
				world.Checkpoints{Path: "file:///c/chk-7", Completed: enginetest.Start.Add(minute)},
			)
			w.Sleep(2 * minute)
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.Sleep(minute)
			w.Run()
			upgrades(w)
		}, savepoint("file:///c/chk-7", "RecordedPath"), minute,
			"Starting deployment from file:///c/chk-7 of 2026-11-21T12:01:00Z (RecordedPath)"},
		"a stateless job that was cancelled": {"stateless", nil, func(w *enginetest.SessionJob) {
			w.Sleep(minute)
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobCanceled)
			w.Run()
		}, empty("Stateless"), 0, "Starting deployment without state (Stateless)"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful(row.mode))
			if row.prepare != nil {
				w.Edit(row.prepare)
			}
			w.UntilSteady()
			starts := 1
			if row.story != nil {
				row.story(w)
				w.UntilSteady()
				starts++
			}
			if row.taken > 0 {
				at := metav1.NewTime(enginetest.Start.Add(row.taken))
				row.want.Taken = &at
			}
			for range 2 { // a later look changes nothing
				if from := w.Status().JobStatus.StartedFrom; from == nil ||
					!equality.Semantic.DeepEqual(*from, row.want) {
					t.Errorf("%+v, want %+v; %q", from, row.want, w.Log)
				}
				w.Sleep(minute)
				w.Run()
			}
			told := w.Messages(plan.ReasonSubmit)
			if len(told) != starts || told[len(told)-1] != row.message ||
				w.Runs[len(w.Runs)-1].SavepointPath != row.want.Path {
				t.Errorf("told %q, want %d, the last %q", told, starts, row.message)
			}
		})
	}
}
