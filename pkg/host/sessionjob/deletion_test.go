package sessionjob_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// untilGone lets time pass until the resource has gone.
func untilGone(w *enginetest.SessionJob) {
	w.T.Helper()
	for began := w.Snapshot.Now; len(w.Snapshot.Resource.Finalizers) > 0; w.Sleep(10 * time.Second) {
		if w.Run(); w.Snapshot.Now.Sub(began) > time.Hour {
			w.T.Fatalf("not gone: %q", w.Log)
		}
	}
}

// A main method that takes long begins its job before the resource goes, or the Warning says that it may yet.
func TestADeletionAwaitsALateJob(t *testing.T) {
	rows := map[string]struct {
		takes time.Duration
		warns int
	}{
		"a minute":    {time.Minute, 0},
		"too long":    {time.Hour, 1},
		"not forever": {4*time.Minute + 50*time.Second, 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			for len(w.Runs) == 0 {
				w.Round()
			}
			late := w.Jobs
			w.Jobs = nil
			w.Delete()
			began := w.Snapshot.Now
			for len(w.Snapshot.Resource.Finalizers) > 0 && w.Snapshot.Now.Sub(began) < time.Hour {
				if w.Snapshot.Now.Sub(began) >= row.takes && late != nil {
					w.Jobs, late = append(w.Jobs, late...), nil
				}
				w.Run()
				w.Sleep(10 * time.Second)
			}
			left := w.Told(plan.ReasonJobLeftRunning)
			if len(w.Snapshot.Resource.Finalizers) != 0 || len(left) != row.warns || len(w.Running()) != 0 {
				t.Errorf("finalizers %q, told %q, running %q", w.Snapshot.Resource.Finalizers, left, w.Running())
			}
		})
	}
}

// Two clocks differ: what is asked of a JobManager is not taken for lost, and no second job is started beside it.
func TestAnotherClockIsNoReplacedJobManager(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	ahead := enginetest.JobManager()
	ahead.Status.Conditions[0].LastTransitionTime = metav1.NewTime(enginetest.Start.Add(3 * time.Second))
	w.Snapshot.JobManager = plan.Present(ahead)
	for len(w.Runs) == 0 {
		w.Round()
	}
	late := w.Jobs
	w.Jobs = nil
	for range 5 {
		w.Run()
		w.Sleep(2 * time.Second)
	}
	w.Jobs = append(w.Jobs, late...)
	w.UntilSteady()
	if len(w.Runs) != 1 || len(w.Running()) != 1 {
		t.Errorf("runs %+v, running %q", w.Runs, w.Running())
	}
}

// An answer to a run that does not say that nothing was started is none: whatever comes next, the job is looked for.
func TestAJobOfARunThatWasNotAnsweredIsFound(t *testing.T) {
	rows := map[string]struct {
		then func(w *enginetest.SessionJob)
		runs int
	}{
		"a newer spec": {func(w *enginetest.SessionJob) {
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		}, 1},
		"suspended": {func(w *enginetest.SessionJob) {
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
		}, 0},
		"deleted": {(*enginetest.SessionJob).Delete, 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.Unsaid = "response 504: upstream request timeout"
			w.Run()
			if session.New(w.Snapshot).NeverRan() {
				t.Error("it counts as one that never ran")
			}
			if s := w.Status(); !strings.Contains(s.Error, "upstream request timeout") {
				t.Errorf("shows %q", s.Error)
			}
			late := enginetest.RunningJob(w.Runs[0].JobID)
			w.Unsaid = ""
			row.then(w)
			for range 3 {
				w.Run()
				w.Sleep(2 * time.Second)
			}
			if len(w.Runs) != 1 {
				t.Fatalf("ran %d times before it was found", len(w.Runs))
			}
			w.Jobs = append(w.Jobs, late)
			for range 10 {
				w.Run()
				w.Sleep(20 * time.Second)
			}
			if shows := w.Status().Error != "" && name != "deleted"; len(w.Running()) != row.runs || shows {
				t.Errorf("running %q, error %q, rounds %q", w.Running(), w.Status().Error, w.Log)
			}
		})
	}
}

// A savepoint that a stop was asked for before the deletion is recorded before the resource goes.
func TestADeletionKeepsAStopsSavepoint(t *testing.T) {
	change := map[string]func(s *v1beta1.FlinkSessionJobSpec){
		"an upgrade":   func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 },
		"a suspension": func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended },
	}
	for name, change := range change {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.UntilSteady()
			w.Saves = false
			w.Edit(change)
			w.Run()
			w.Set(w.Jobs[0].ID, v1beta1.FlinkJobFinished)
			w.Stops[w.Status().Intent.TriggerID] = "file:///s/savepoint-of-stop"
			w.Delete()
			untilGone(w)
			if path := w.Status().JobStatus.UpgradeSavepointPath; path != "file:///s/savepoint-of-stop" {
				t.Errorf("recorded %q", path)
			}
		})
	}
}

// A savepoint that was asked for and not taken is told, whatever the deletion ends for.
func TestASkippedSavepointIsTold(t *testing.T) {
	rows := map[string]struct {
		seen func(w *enginetest.SessionJob)
		told string
	}{
		"its cluster does not wait": {func(w *enginetest.SessionJob) {
			d := enginetest.SessionCluster("kubernetes.operator.session.deletion.block-on-session-jobs", "false")
			d.DeletionTimestamp = &metav1.Time{Time: enginetest.Start}
			w.Snapshot.Cluster = plan.Present(d)
		}, "No savepoint was taken before the deletion: the session cluster is deleted and does not wait for its jobs"},
		"it is lost": {func(w *enginetest.SessionJob) { w.Jobs = nil }, "gone with its session cluster"},
		"its cluster is gone": {func(w *enginetest.SessionJob) {
			w.Snapshot.Cluster, w.Snapshot.JobManager = plan.Absent[*v1beta1.FlinkDeployment](),
				plan.Absent[*appsv1.Deployment]()
		}, "gone with its session cluster"},
		"nobody answers": {
			func(w *enginetest.SessionJob) { w.Silent = true },
			"No savepoint was taken before the deletion: ",
		},
		"nobody answers any more": {func(w *enginetest.SessionJob) {
			w.Taking, w.Saves = true, false
			w.Run()
			w.Silent = true
		}, "The savepoint before the deletion is not known to be complete: "},
		"it has ended, and nobody answers": {func(w *enginetest.SessionJob) {
			w.Snapshot.Resource.DeletionTimestamp = nil
			w.Set(w.Jobs[0].ID, v1beta1.FlinkJobFinished)
			w.Run()
			w.Silent = true
			w.Delete()
		}, ""},
		"it has ended": {func(w *enginetest.SessionJob) { w.Set(w.Jobs[0].ID, v1beta1.FlinkJobFinished) }, ""},
		"it is taken":  {func(*enginetest.SessionJob) {}, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := savesFirst(t)
			w.Delete()
			row.seen(w)
			untilGone(w)
			told := w.Told(plan.ReasonSavepointSkipped)
			if len(told) != min(1, len(row.told)) || !strings.Contains(strings.Join(told, ""), row.told) {
				t.Errorf("told %q", told)
			}
		})
	}
}

// One look without an answer, late in a deletion, gives nothing up: the savepoint that is being taken is recorded, and
// the job is ended.
func TestOneSilentLookDoesNotEndADeletion(t *testing.T) {
	w := savesFirst(t)
	w.Saves, w.Taking = false, true
	w.Delete()
	for range 6 {
		w.Run()
		w.Sleep(time.Minute)
	}
	w.Silent = true
	w.Run()
	w.Silent, w.Taking = false, false
	w.Set(w.Jobs[0].ID, v1beta1.FlinkJobFinished)
	w.Stops[w.Status().Intent.TriggerID] = "file:///s/savepoint-late"
	untilGone(w)
	if path := w.Status().JobStatus.UpgradeSavepointPath; path != "file:///s/savepoint-late" ||
		len(w.Told(plan.ReasonJobLeftRunning)) != 0 {
		t.Errorf("recorded %q, told %q", path, w.Told(plan.ReasonJobLeftRunning))
	}
}

// A deletion is told once. That the job is told to end is stored before Flink is asked, and once.
func TestADeletionIsRecordedAsItBegins(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Delete()
	for i, want := range []string{"record cancellation", "", ""} {
		w.Log = nil
		w.Round()
		w.Set(w.Jobs[0].ID, v1beta1.FlinkJobRunning) // it does not end
		first, _, _ := strings.Cut(w.Log[0], ";")
		if recorded := strings.Contains(first, "cancellation"); recorded != (want != "") ||
			!strings.Contains(w.Log[0], "cancel") {
			t.Errorf("look %d: %q, want %q", i, w.Log[0], want)
		}
		w.Sleep(10 * time.Second)
	}
	if told := w.Messages(plan.ReasonCleanup); len(told) != 1 {
		t.Errorf("told %q", told)
	}
}

// TestAResourceThatGoesGetsNoStatus: only the write that nobody could read is left out. Listeners hear DELETED.
func TestAResourceThatGoesGetsNoStatusOfASessionJob(t *testing.T) {
	const ours = v1beta1.FinalizerFlinkSessionJob
	for name, row := range map[string]struct {
		finalizers []string
		deleted    bool
		gone       bool
	}{
		"ours is the last":        {[]string{ours}, true, true},
		"another one holds it":    {[]string{ours, "example.com/backup"}, true, false},
		"it is not being deleted": {[]string{ours}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			w.UntilSteady()
			w.Snapshot.Resource.Finalizers = row.finalizers
			if w.Jobs = nil; row.deleted { // the job is gone, and nothing is left to be done
				w.Delete()
			}
			w.Look()
			p := sessionjob.Make(w.Snapshot)
			if p.Gone != row.gone {
				t.Errorf("gone %t, want %t: %s", p.Gone, row.gone, p)
			}
			status, ok := p.Status.(*v1beta1.FlinkSessionJobStatus)
			if told := ok && status.LifecycleState == v1beta1.LifecycleDeleted; told != row.deleted {
				t.Errorf("told as deleted %t, want %t: %s", told, row.deleted, p)
			}
		})
	}
}
