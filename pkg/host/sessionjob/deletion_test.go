package sessionjob

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// told are the messages of the Warnings of a reason, in their order.
func (w *fixture) told(reason plan.Reason) []string {
	var all []string
	for _, e := range w.events {
		if e.Warning && e.Reason == reason {
			all = append(all, e.Message)
		}
	}
	return all
}

// untilGone lets time pass until the resource has gone.
func (w *fixture) untilGone() {
	w.t.Helper()
	for began := w.s.Now; len(w.s.Resource.Finalizers) > 0; w.sleep(10 * time.Second) {
		if w.run(); w.s.Now.Sub(began) > time.Hour {
			w.t.Fatalf("not gone: %q", w.log)
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
			w := newWorld(t, stateless)
			for len(w.runs) == 0 {
				w.round()
			}
			late := w.jobs
			w.jobs = nil
			w.delete()
			began := w.s.Now
			for len(w.s.Resource.Finalizers) > 0 && w.s.Now.Sub(began) < time.Hour {
				if w.s.Now.Sub(began) >= row.takes && late != nil {
					w.jobs, late = append(w.jobs, late...), nil
				}
				w.run()
				w.sleep(10 * time.Second)
			}
			left := w.told(plan.ReasonJobLeftRunning)
			if len(w.s.Resource.Finalizers) != 0 || len(left) != row.warns || len(w.running()) != 0 {
				t.Errorf("finalizers %q, told %q, running %q", w.s.Resource.Finalizers, left, w.running())
			}
		})
	}
}

// Two clocks differ: what is asked of a JobManager is not taken for lost, and no second job is started beside it.
func TestAnotherClockIsNoReplacedJobManager(t *testing.T) {
	w := newWorld(t, stateless)
	ahead := jobManager()
	ahead.Status.Conditions[0].LastTransitionTime = metav1.NewTime(start.Add(3 * time.Second))
	w.s.JobManager = plan.Present(ahead)
	for len(w.runs) == 0 {
		w.round()
	}
	late := w.jobs
	w.jobs = nil
	for range 5 {
		w.run()
		w.sleep(2 * time.Second)
	}
	w.jobs = append(w.jobs, late...)
	w.untilSteady()
	if len(w.runs) != 1 || len(w.running()) != 1 {
		t.Errorf("runs %+v, running %q", w.runs, w.running())
	}
}

// An answer to a run that does not say that nothing was started is none: whatever comes next, the job is looked for.
func TestAJobOfARunThatWasNotAnsweredIsFound(t *testing.T) {
	rows := map[string]struct {
		then func(w *fixture)
		runs int
	}{
		"a newer spec": {func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		}, 1},
		"suspended": {func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
		}, 0},
		"deleted": {(*fixture).delete, 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			w.unsaid = "response 504: upstream request timeout"
			w.run()
			if Open(w.s).view.NeverRan() {
				t.Error("it counts as one that never ran")
			}
			if s := w.status(); !strings.Contains(s.Error, "upstream request timeout") {
				t.Errorf("shows %q", s.Error)
			}
			late := runningJob(w.runs[0].JobID)
			w.unsaid = ""
			row.then(w)
			for range 3 {
				w.run()
				w.sleep(2 * time.Second)
			}
			if len(w.runs) != 1 {
				t.Fatalf("ran %d times before it was found", len(w.runs))
			}
			w.jobs = append(w.jobs, late)
			for range 10 {
				w.run()
				w.sleep(20 * time.Second)
			}
			if shows := w.status().Error != "" && name != "deleted"; len(w.running()) != row.runs || shows {
				t.Errorf("running %q, error %q, rounds %q", w.running(), w.status().Error, w.log)
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
			w := newWorld(t, stateful("savepoint"))
			w.untilSteady()
			w.saves = false
			w.edit(change)
			w.run()
			w.set(w.jobs[0].ID, v1beta1.FlinkJobFinished)
			w.stops[w.status().Intent.TriggerID] = "file:///s/savepoint-of-stop"
			w.delete()
			w.untilGone()
			if path := w.status().JobStatus.UpgradeSavepointPath; path != "file:///s/savepoint-of-stop" {
				t.Errorf("recorded %q", path)
			}
		})
	}
}

// A savepoint that was asked for and not taken is told, whatever the deletion ends for.
func TestASkippedSavepointIsTold(t *testing.T) {
	rows := map[string]struct {
		seen func(w *fixture)
		told string
	}{
		"its cluster does not wait": {func(w *fixture) {
			d := sessionCluster("kubernetes.operator.session.deletion.block-on-session-jobs", "false")
			d.DeletionTimestamp = &metav1.Time{Time: start}
			w.s.Cluster = plan.Present(d)
		}, "No savepoint was taken before the deletion: the session cluster is deleted and does not wait for its jobs"},
		"it is lost": {func(w *fixture) { w.jobs = nil }, "gone with its session cluster"},
		"its cluster is gone": {func(w *fixture) {
			w.s.Cluster, w.s.JobManager = plan.Absent[*v1beta1.FlinkDeployment](), plan.Absent[*appsv1.Deployment]()
		}, "gone with its session cluster"},
		"nobody answers": {func(w *fixture) { w.silent = true }, "No savepoint was taken before the deletion: "},
		"nobody answers any more": {func(w *fixture) {
			w.taking, w.saves = true, false
			w.run()
			w.silent = true
		}, "The savepoint before the deletion is not known to be complete: "},
		"it has ended, and nobody answers": {func(w *fixture) {
			w.s.Resource.DeletionTimestamp = nil
			w.set(w.jobs[0].ID, v1beta1.FlinkJobFinished)
			w.run()
			w.silent = true
			w.delete()
		}, ""},
		"it has ended": {func(w *fixture) { w.set(w.jobs[0].ID, v1beta1.FlinkJobFinished) }, ""},
		"it is taken":  {func(*fixture) {}, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := savesFirst(t)
			w.delete()
			row.seen(w)
			w.untilGone()
			told := w.told(plan.ReasonSavepointSkipped)
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
	w.saves, w.taking = false, true
	w.delete()
	for range 6 {
		w.run()
		w.sleep(time.Minute)
	}
	w.silent = true
	w.run()
	w.silent, w.taking = false, false
	w.set(w.jobs[0].ID, v1beta1.FlinkJobFinished)
	w.stops[w.status().Intent.TriggerID] = "file:///s/savepoint-late"
	w.untilGone()
	if path := w.status().JobStatus.UpgradeSavepointPath; path != "file:///s/savepoint-late" ||
		len(w.told(plan.ReasonJobLeftRunning)) != 0 {
		t.Errorf("recorded %q, told %q", path, w.told(plan.ReasonJobLeftRunning))
	}
}

// A deletion is told once. That the job is told to end is stored before Flink is asked, and once.
func TestADeletionIsRecordedAsItBegins(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.delete()
	for i, want := range []string{"record cancellation", "", ""} {
		w.log = nil
		w.round()
		w.set(w.jobs[0].ID, v1beta1.FlinkJobRunning) // it does not end
		first, _, _ := strings.Cut(w.log[0], ";")
		if recorded := strings.Contains(first, "cancellation"); recorded != (want != "") ||
			!strings.Contains(w.log[0], "cancel") {
			t.Errorf("look %d: %q, want %q", i, w.log[0], want)
		}
		w.sleep(10 * time.Second)
	}
	if told := w.messages(plan.ReasonCleanup); len(told) != 1 {
		t.Errorf("told %q", told)
	}
}

// TestAResourceThatGoesGetsNoStatus: only the write that nobody could read is left out. Listeners hear DELETED.
func TestAResourceThatGoesGetsNoStatus(t *testing.T) {
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
			w := newWorld(t, stateless)
			w.untilSteady()
			w.s.Resource.Finalizers = row.finalizers
			if w.jobs = nil; row.deleted { // the job is gone, and nothing is left to be done
				w.delete()
			}
			w.look()
			p := Make(w.s)
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
