package world_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Flink calls a job RUNNING as soon as it asks for slots; status says CREATED until all of its tasks work.
func TestHowAStateIsShown(t *testing.T) {
	rows := map[string]struct {
		job  world.Job
		want v1beta1.FlinkJobState
	}{
		"all tasks run": {world.Job{State: v1beta1.FlinkJobRunning, Tasks: 4, Running: 4}, v1beta1.FlinkJobRunning},
		"some have finished": {
			world.Job{State: v1beta1.FlinkJobRunning, Tasks: 4, Running: 3, Finished: 1}, v1beta1.FlinkJobRunning,
		},
		"one waits for a slot":   {world.Job{State: v1beta1.FlinkJobRunning, Tasks: 4, Running: 3}, v1beta1.FlinkJobCreated},
		"it failed with a task":  {world.Job{State: v1beta1.FlinkJobFailed, Tasks: 4, Running: 1}, v1beta1.FlinkJobFailed},
		"it has not begun to do": {world.Job{State: v1beta1.FlinkJobInitializing, Tasks: 4}, v1beta1.FlinkJobInitializing},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			row.job.ID = "a"
			got, found := world.FindJob([]world.Job{{ID: "b"}, row.job}, "a")
			if !found || got.State != row.want {
				t.Errorf("found %t, shown as %s, want %s", found, got.State, row.want)
			}
		})
	}
	if _, found := world.FindJob([]world.Job{{ID: "b"}}, "a"); found {
		t.Error("a job is found that Flink does not list")
	}
}

// Another run of a job says nothing of the run that ended, or that is to be stopped.
func TestAnotherRunOfAJob(t *testing.T) {
	ended := v1beta1.JobStatus{State: v1beta1.FlinkJobFailed, StartTime: "1"}
	rows := map[string]struct {
		recorded v1beta1.JobStatus
		start    string
		want     bool
	}{
		"the same run":             {recorded: ended, start: "1"},
		"another one":              {recorded: ended, start: "2", want: true},
		"the job has not ended":    {recorded: v1beta1.JobStatus{State: v1beta1.FlinkJobRunning, StartTime: "1"}, start: "2"},
		"when it began is unknown": {recorded: v1beta1.JobStatus{State: v1beta1.FlinkJobFailed}, start: "2"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := world.AnotherRun(row.recorded, world.Job{StartTime: row.start}); got != row.want {
				t.Errorf("another run: %t, want %t", got, row.want)
			}
		})
	}
	job := world.Job{StartTime: "2"}
	for want, stops := range map[bool]*v1beta1.Incarnation{true: {JobStartTime: "1"}, false: {JobStartTime: "2"}} {
		if got := world.BeganAnew(stops, job); got != want {
			t.Errorf("began anew since the stop of %s: %t, want %t", stops.JobStartTime, got, want)
		}
	}
	if world.BeganAnew(nil, job) || world.BeganAnew(&v1beta1.Incarnation{}, job) {
		t.Error("a stop that does not say what it stops is of another run")
	}
}

func TestWhichStateAJobWasRestoredFrom(t *testing.T) {
	for kind, want := range map[world.StateKind]bool{
		world.KindCheckpoint: false, world.KindSavepoint: false, world.KindStop: false, world.KindRestored: true,
		world.KindRestoredSavepoint: true, "": false,
	} {
		if got := kind.Restored(); got != want {
			t.Errorf("%q is what the job was restored from: %t, want %t", kind, got, want)
		}
	}
}

func TestWhichStandingIsThere(t *testing.T) {
	for standing, want := range map[world.Standing]bool{
		world.StandingUnknown: false, world.Gone: false, world.Going: true, world.Standby: true, world.There: true,
	} {
		if got := standing.Is(); got != want {
			t.Errorf("standing %d is there: %t, want %t", standing, got, want)
		}
	}
}

// Where the jobs are not known, although a JobManager is there to be asked, what is recorded may be old.
func TestWhenFlinkWasNotAsked(t *testing.T) {
	rows := map[string]struct {
		jobs plan.Observed[[]world.Job]
		want bool
	}{
		"it was not asked":    {want: true},
		"it did not answer":   {jobs: plan.Unknown[[]world.Job]("refused"), want: true},
		"it lists no job":     {jobs: plan.Present([]world.Job{})},
		"it lists some other": {jobs: plan.Present([]world.Job{{ID: "b"}})},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { s.Flink.Jobs = row.jobs })
			if got := world.Unasked(v); got != row.want {
				t.Errorf("not asked: %t, want %t", got, row.want)
			}
		})
	}
}
