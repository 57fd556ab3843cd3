package sessionjob_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// again lets a job that had ended run again, as a JobManager does that finds no record of its end.
func again(w *enginetest.SessionJob, id string) {
	w.Set(id, v1beta1.FlinkJobRunning)
	for i := range w.Jobs {
		if w.Jobs[i].ID == id {
			w.Jobs[i].StartTime = "99"
		}
	}
}

func TestAJobThatRunsAgainIsEnded(t *testing.T) {
	suspends := func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended }
	resumes := func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateRunning }
	changes := func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 }
	suspended := func(w *enginetest.SessionJob) {
		w.Edit(suspends)
		w.Run()
		w.Run()
	}
	changed := func(w *enginetest.SessionJob) {
		w.Edit(changes)
		w.Run()
		w.Sleep(20 * time.Second)
		w.UntilSteady()
	}
	rows := map[string]struct {
		row       string // of the drawing
		then      func(w *enginetest.SessionJob)
		lifecycle v1beta1.LifecycleState
		state     v1beta1.FlinkJobState
		runs      int
	}{
		"suspended": {
			"A2",
			func(w *enginetest.SessionJob) { suspended(w); again(w, w.Jobs[0].ID) },
			v1beta1.LifecycleSuspended,
			v1beta1.FlinkJobFinished,
			0,
		},
		"suspended, to be resumed": {"A2", func(w *enginetest.SessionJob) {
			suspended(w)
			again(w, w.Jobs[0].ID)
			w.Edit(resumes)
		}, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning, 1},
		"ended by itself": {"A3", func(w *enginetest.SessionJob) {
			w.Set(w.Jobs[0].ID, v1beta1.FlinkJobFinished)
			w.Run()
			again(w, w.Jobs[0].ID)
		}, v1beta1.LifecycleStable, v1beta1.FlinkJobFinished, 0},
		"of before an upgrade": {
			"A1",
			func(w *enginetest.SessionJob) { changed(w); again(w, w.Jobs[0].ID) },
			v1beta1.LifecycleStable,
			v1beta1.FlinkJobRunning,
			1,
		},
		"of before two upgrades": {"A1", func(w *enginetest.SessionJob) {
			changed(w)
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 5 })
			w.Run()
			w.Sleep(20 * time.Second)
			w.UntilSteady()
			again(w, w.Jobs[0].ID)
		}, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning, 1},
		"of before an upgrade, while the next is made": {"A1", func(w *enginetest.SessionJob) {
			w.Edit(changes)
			for w.Status().JobStatus.JobID == w.Jobs[0].ID {
				w.Round()
			}
			again(w, w.Jobs[0].ID)
		}, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning, 1},
		"nothing": {"A4", func(*enginetest.SessionJob) {}, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning, 1},
	}
	drawn := drawing.Read(t, "../session/cancel/after.go", "After")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			brings(w)
			w.UntilSteady()
			row.then(w)
			path := w.Status().JobStatus.UpgradeSavepointPath
			for range 10 {
				w.Run()
				w.Sleep(20 * time.Second)
			}
			s := w.Status()
			if s.LifecycleState != row.lifecycle || s.JobStatus.State != row.state || len(w.Running()) != row.runs {
				t.Errorf("%s %s, running %q, rounds %q", s.LifecycleState, s.JobStatus.State, w.Running(), w.Log)
			}
			if row.runs == 1 && w.Running()[0] != s.JobStatus.JobID {
				t.Errorf("runs %q, status names %s", w.Running(), s.JobStatus.JobID)
			}
			if row.row == "A2" && row.runs == 0 && s.JobStatus.UpgradeSavepointPath != path {
				t.Errorf(
					"the next start is from %q, want what was recorded: %q",
					s.JobStatus.UpgradeSavepointPath,
					path,
				)
			}
			told := w.Told(plan.ReasonJobReran)
			then := map[bool]string{true: "cancel it", false: "the rules that follow decide"}[len(told) > 0]
			if row.row == "A1" && len(told) > 0 {
				then = "cancel it, see cameBack"
			}
			if err := drawn.Holds(row.row, drawing.Row{"then": then}); err != nil || len(told) > 1 {
				t.Errorf("%v, told %q", err, told)
			}
		})
	}
	if err := drawn.Shown("after", shown...); err != nil {
		t.Error(err)
	}
}

// A former job that runs again does not outlive its resource.
func TestADeletionEndsAFormerJobThatRunsAgain(t *testing.T) {
	for _, ends := range []bool{true, false} {
		w := upgraded(t)
		w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
		former := w.Jobs[0].ID
		again(w, former)
		if !ends {
			w.Set(former, v1beta1.FlinkJobCancelling)
		}
		w.Delete()
		untilGone(w)
		left := w.Told(plan.ReasonJobLeftRunning)
		if ends != (len(w.Running()) == 0) || ends != (len(left) == 0) ||
			!ends && !strings.Contains(strings.Join(left, ""), former) {
			t.Errorf("running %q, told %q", w.Running(), left)
		}
	}
}

// A former job that runs again and does not end is waited for, by one look at the least, until the clean-up timeout.
func TestADeletionWaitsForAFormerJob(t *testing.T) {
	rows := map[string]struct {
		looks []time.Duration // after the resource was marked for deletion
		told  int
	}{
		"a first look":        {[]time.Duration{0}, 0},
		"a first look, late":  {[]time.Duration{time.Hour}, 0},
		"as long as it takes": {[]time.Duration{0, 5 * time.Minute}, 0},
		"longer":              {[]time.Duration{0, 5*time.Minute + time.Second}, 1},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := upgraded(t)
			again(w, w.Jobs[0].ID)
			w.Set(w.Jobs[0].ID, v1beta1.FlinkJobCancelling)
			w.Delete()
			for _, at := range row.looks {
				w.Snapshot.Now = w.Snapshot.Resource.DeletionTimestamp.Add(at)
				w.Round()
			}
			if told := w.Told(plan.ReasonJobLeftRunning); len(told) != row.told {
				t.Errorf("told %q, want %d", told, row.told)
			}
		})
	}
}

// Status names the newest three of the jobs that others took the place of, and nothing else.
func TestFormerJobsAreTheNewest(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	for n := range 5 {
		var want []string
		for i := len(w.Runs) - 2; i >= max(0, len(w.Runs)-4); i-- {
			want = append(want, w.Runs[i].JobID)
		}
		if got := w.Status().FormerJobs; !slices.Equal(got, want) {
			t.Fatalf("after %d upgrades: %q, want %q", n, got, want)
		}
		w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism += 1 })
		w.Run()
		w.Sleep(20 * time.Second)
		w.UntilSteady()
	}
}

// upgraded is a job on a highly available cluster that has taken the place of a former one.
func upgraded(t *testing.T) *enginetest.SessionJob {
	t.Helper()
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	brings(w)
	w.UntilSteady()
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	w.Run()
	w.Sleep(20 * time.Second)
	w.UntilSteady()
	return w
}
