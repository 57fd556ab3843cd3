package deployment

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// ended makes the job end with a checkpoint that was triggered ten minutes before the story begins.
func (w *fixture) ended(state v1beta1.FlinkJobState) {
	w.serveJob(state)
	w.s.Flink.Failure = plan.Present("boom")
	completed := start.Add(-10 * time.Minute)
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7", Completed: completed})
}

// replaces carries the open change to its new cluster.
func (w *fixture) replaces() {
	w.run()
	w.terminate()
	w.run()
}

func TestAStartSaysWhichStateItIsFrom(t *testing.T) {
	const savepoint = "file:///s/1"
	noon, earlier := start, start.Add(-10*time.Minute)
	fromData := v1beta1.StartPoint{
		Kind: v1beta1.StartLastState, Path: v1beta1.LastStatePlaceholder, Reason: "HighAvailabilityData",
	}
	empty := func(reason string) v1beta1.StartPoint {
		return v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: reason}
	}
	rows := map[string]struct {
		story   func(t *testing.T) *fixture
		want    v1beta1.StartPoint
		taken   *time.Time
		message string
	}{
		"a first start": {func(t *testing.T) *fixture { return stable(t, stateful) },
			empty("FirstStart"), nil, "Starting deployment without state (FirstStart)"},
		"a first start from a savepoint": {func(t *testing.T) *fixture { return stable(t, given(stateful)) },
			v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "file:///given", Reason: "InitialSavepointPath"}, nil,
			"Starting deployment from file:///given (InitialSavepointPath)"},
		"a savepoint upgrade": {func(t *testing.T) *fixture { return upgradedBySavepoint(t, stateful) },
			v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: savepoint, Reason: "StopWithSavepoint"}, &noon,
			"Starting deployment from file:///s/1 of 2026-11-21T12:00:00Z (StopWithSavepoint)"},
		"a stateless upgrade": {func(t *testing.T) *fixture {
			w := stable(t, application)
			w.edit(upgradeImage)
			w.replaces()
			return w
		}, empty("Stateless"), nil, "Starting deployment without state (Stateless)"},
		"a last-state upgrade": {func(t *testing.T) *fixture {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7", Completed: earlier})
			w.edit(upgradeImage)
			w.replaces()
			return w
		}, fromData, &earlier,
			"Starting deployment from the high-availability data of 2026-11-21T11:50:00Z or later (HighAvailabilityData)"},
		"a recovery": {func(t *testing.T) *fixture {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.lose()
			w.run()
			return w
		}, fromData, nil,
			"Starting deployment from the high-availability data (HighAvailabilityData)"},
		"a recovery of a job whose checkpoint is known": {func(t *testing.T) *fixture {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7", Completed: earlier})
			w.run()
			w.s.Flink.Checkpoints = plan.Observed[world.Checkpoints]{}
			w.lose()
			w.run()
			return w
		}, fromData, &earlier,
			"Starting deployment from the high-availability data of 2026-11-21T11:50:00Z or later (HighAvailabilityData)"},
		"a resumption": {func(t *testing.T) *fixture {
			w := stable(t, stateful)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.run()
			w.stopWith(world.StopProgress{State: world.StopCompleted, Path: savepoint})
			w.run()
			w.s.Now = w.s.Now.Add(time.Hour)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.replaces()
			return w
		}, v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: savepoint, Reason: "RecordedPath"}, &noon,
			"Starting deployment from file:///s/1 of 2026-11-21T12:00:00Z (RecordedPath)"},
		"a change of a job that has failed": {func(t *testing.T) *fixture {
			w := stable(t, stateful)
			w.ended(v1beta1.FlinkJobFailed)
			w.run()
			w.s.Now = w.s.Now.Add(time.Hour)
			w.edit(upgradeImage)
			w.replaces()
			return w
		}, v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "file:///c/chk-7", Reason: "RecordedPath"}, &earlier,
			"Starting deployment from file:///c/chk-7 of 2026-11-21T11:50:00Z (RecordedPath)"},
		"one that failed before its first checkpoint": {func(t *testing.T) *fixture {
			w := upgradedBySavepoint(t, stateful)
			w.serveJob(v1beta1.FlinkJobRunning)
			w.run()
			w.ended(v1beta1.FlinkJobFailed)
			restored := world.Checkpoints{
				Path: savepoint, Completed: start.Add(time.Minute), Kind: world.KindRestoredSavepoint,
			}
			w.s.Flink.Checkpoints = plan.Present(restored)
			w.run()
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.6" })
			w.replaces()
			return w
		}, v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: savepoint, Reason: "RecordedPath"}, &noon,
			"Starting deployment from file:///s/1 of 2026-11-21T12:00:00Z (RecordedPath)"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.story(t)
			if row.taken != nil {
				at := metav1.NewTime(*row.taken)
				row.want.Taken = &at
			}
			for _, look := range []string{"when it starts", "when it runs"} {
				from := w.status().JobStatus.StartedFrom
				if from == nil || !equality.Semantic.DeepEqual(*from, row.want) {
					t.Errorf("%s: %+v, want %+v; %q", look, from, row.want, w.log)
				}
				w.serveJob(v1beta1.FlinkJobRunning)
				w.run()
			}
			newest := ""
			for _, e := range w.events {
				if e.Reason == "Submit" {
					newest = e.Message
				}
			}
			if newest != row.message {
				t.Errorf("told %q, want %q", newest, row.message)
			}
		})
	}
}

func TestTheStartOfASessionClusterHasNoState(t *testing.T) {
	w := newWorld(t, session)
	w.run()
	if w.status().JobStatus.StartedFrom != nil || !strings.Contains(w.reasons(), "Submit") {
		t.Errorf("%+v, %s", w.status().JobStatus.StartedFrom, w.reasons())
	}
}
