package operation_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// ended makes the job end with a checkpoint that was triggered ten minutes before the story begins.
func ended(w *enginetest.Deployment, state v1beta1.FlinkJobState) {
	w.ServeJob(state)
	w.Snapshot.Flink.Failure = plan.Present("boom")
	completed := enginetest.Start.Add(-10 * time.Minute)
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7", Completed: completed})
}

// replaces carries the open change to its new cluster.
func replaces(w *enginetest.Deployment) {
	w.Run()
	w.Terminate()
	w.Run()
}

func TestAStartSaysWhichStateItIsFrom(t *testing.T) {
	const savepoint = "file:///s/1"
	noon, earlier := enginetest.Start, enginetest.Start.Add(-10*time.Minute)
	fromData := v1beta1.StartPoint{
		Kind: v1beta1.StartLastState, Path: v1beta1.LastStatePlaceholder, Reason: "HighAvailabilityData",
	}
	empty := func(reason string) v1beta1.StartPoint {
		return v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: reason}
	}
	rows := map[string]struct {
		story   func(t *testing.T) *enginetest.Deployment
		want    v1beta1.StartPoint
		taken   *time.Time
		message string
	}{
		"a first start": {func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, enginetest.Stateful) },
			empty("FirstStart"), nil, "Starting deployment without state (FirstStart)"},
		"a first start from a savepoint": {func(t *testing.T) *enginetest.Deployment {
			return enginetest.Stable(t, enginetest.Given(enginetest.Stateful))
		},
			v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "file:///given", Reason: "InitialSavepointPath"}, nil,
			"Starting deployment from file:///given (InitialSavepointPath)"},
		"a savepoint upgrade": {func(t *testing.T) *enginetest.Deployment {
			return enginetest.UpgradedBySavepoint(t, enginetest.Stateful)
		},
			v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: savepoint, Reason: "StopWithSavepoint"}, &noon,
			"Starting deployment from file:///s/1 of 2026-11-21T12:00:00Z (StopWithSavepoint)"},
		"a stateless upgrade": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.Edit(enginetest.UpgradeImage)
			replaces(w)
			return w
		}, empty("Stateless"), nil, "Starting deployment without state (Stateless)"},
		"a last-state upgrade": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7", Completed: earlier})
			w.Edit(enginetest.UpgradeImage)
			replaces(w)
			return w
		}, fromData, &earlier,
			"Starting deployment from the high-availability data of 2026-11-21T11:50:00Z or later (HighAvailabilityData)"},
		"a recovery": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Lose()
			w.Run()
			return w
		}, fromData, nil,
			"Starting deployment from the high-availability data (HighAvailabilityData)"},
		"a recovery of a job whose checkpoint is known": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7", Completed: earlier})
			w.Run()
			w.Snapshot.Flink.Checkpoints = plan.Observed[world.Checkpoints]{}
			w.Lose()
			w.Run()
			return w
		}, fromData, &earlier,
			"Starting deployment from the high-availability data of 2026-11-21T11:50:00Z or later (HighAvailabilityData)"},
		"a resumption": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopCompleted, Path: savepoint})
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Hour)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			replaces(w)
			return w
		}, v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: savepoint, Reason: "RecordedPath"}, &noon,
			"Starting deployment from file:///s/1 of 2026-11-21T12:00:00Z (RecordedPath)"},
		"a change of a job that has failed": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Stateful)
			ended(w, v1beta1.FlinkJobFailed)
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Hour)
			w.Edit(enginetest.UpgradeImage)
			replaces(w)
			return w
		}, v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "file:///c/chk-7", Reason: "RecordedPath"}, &earlier,
			"Starting deployment from file:///c/chk-7 of 2026-11-21T11:50:00Z (RecordedPath)"},
		"one that failed before its first checkpoint": {func(t *testing.T) *enginetest.Deployment {
			w := enginetest.UpgradedBySavepoint(t, enginetest.Stateful)
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Run()
			ended(w, v1beta1.FlinkJobFailed)
			restored := world.Checkpoints{
				Path: savepoint, Completed: enginetest.Start.Add(time.Minute), Kind: world.KindRestoredSavepoint,
			}
			w.Snapshot.Flink.Checkpoints = plan.Present(restored)
			w.Run()
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.6" })
			replaces(w)
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
				from := w.Status().JobStatus.StartedFrom
				if from == nil || !equality.Semantic.DeepEqual(*from, row.want) {
					t.Errorf("%s: %+v, want %+v; %q", look, from, row.want, w.Log)
				}
				w.ServeJob(v1beta1.FlinkJobRunning)
				w.Run()
			}
			newest := ""
			for _, e := range w.Events {
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
	w := enginetest.NewDeployment(t, enginetest.Session)
	w.Run()
	if w.Status().JobStatus.StartedFrom != nil || !strings.Contains(w.Reasons(), "Submit") {
		t.Errorf("%+v, %s", w.Status().JobStatus.StartedFrom, w.Reasons())
	}
}
