package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestNoSessionRollbackWithoutItsState(t *testing.T) {
	w := enginetest.HostedChanged(t, "savepoint", enginetest.HostedRollsBack)
	w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
	w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
	w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
	for range 5 {
		w.Run()
		w.Sleep(time.Minute)
	}
	s := w.Status()
	if w.RolledBack() || s.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || len(w.Runs) != 2 {
		t.Errorf("%+v, runs %+v\n%q", s.ReconciliationStatus, w.Runs, w.Log)
	}
	if told := w.Condition("Stalled"); !strings.HasPrefix(told, "RollbackImpossible: ") ||
		!strings.Contains(told, "kubectl patch flinksessionjob etl") {
		t.Errorf("a person is not told why: %q", told)
	}
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a second look must be quiet, got %s", p)
	}
}

// Before the resumption nothing ran that could be gone back to.
func TestNoRollbackOfAResumedSessionJob(t *testing.T) {
	const missing = "https://jars.example.com/missing.jar"
	rows := map[string]struct {
		fails, heals func(w *enginetest.SessionJob)
	}{
		"Flink refuses to run it": {
			func(w *enginetest.SessionJob) { w.Refuses = "no such method" }, func(w *enginetest.SessionJob) { w.Refuses = "" },
		},
		"its jar cannot be had": {
			func(w *enginetest.SessionJob) {
				w.Missing = missing
				w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.JarURI = missing })
			},
			func(w *enginetest.SessionJob) { w.Missing = "" },
		},
		"nobody uploads its jar": {
			func(w *enginetest.SessionJob) { w.Uploads = false }, func(w *enginetest.SessionJob) { w.Uploads = true },
		},
		"its tasks do not run": {
			func(w *enginetest.SessionJob) { w.Newest = v1beta1.FlinkJobCreated },
			func(w *enginetest.SessionJob) { w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobRunning) },
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.Edit(enginetest.HostedOptions(enginetest.HostedRollsBack))
			w.UntilSteady()
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.Run()
			w.Run()
			w.Want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.FlinkJobFinished)
			row.fails(w)
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateRunning })
			for range 30 {
				w.Run()
				w.Sleep(time.Minute)
				if state := w.Status().ReconciliationStatus.State; w.RolledBack() ||
					state == v1beta1.ReconciliationRollingBack || state == v1beta1.ReconciliationRolledBack {
					t.Fatalf("it is %s\n%q", state, w.Log)
				}
			}
			row.heals(w)
			w.Sleep(10 * time.Minute)
			w.UntilSteady()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
			if last := w.Runs[len(w.Runs)-1]; last.SavepointPath != "file:///s/savepoint-1" || len(w.Running()) != 1 {
				t.Errorf("runs %+v, jobs %+v", w.Runs, w.Jobs)
			}
		})
	}
}

// The annotation of a FlinkDeployment asks for the roll-back of a session job, too, where that is not enabled.
func TestASessionRollbackOnDemand(t *testing.T) {
	rows := map[string]struct {
		generation string
		back       bool
	}{
		"of what was deployed": {"3", true},
		"of another change":    {"2", false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.HostedChanged(t, "savepoint", `{}`)
			w.Sleep(time.Hour)
			w.Run()
			if w.RolledBack() || w.Status().Intent != nil {
				t.Fatal("a roll-back is not enabled")
			}
			w.Snapshot.Resource.Annotations = map[string]string{v1beta1.AnnotationRollback: row.generation}
			w.Run()
			if !row.back {
				if w.RolledBack() {
					t.Errorf("rolled back: %q", w.Log)
				}
				return
			}
			w.UntilSteady()
			w.Want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
			if last := w.Runs[len(w.Runs)-1]; last.Parallelism != 2 || last.SavepointPath != "file:///s/savepoint-1" {
				t.Errorf("runs %+v", w.Runs)
			}
		})
	}
}

// A jar that comes late, as when the request for its upload was lost, takes nothing from the time that its job has.
func TestALateUploadLeavesAJobItsTime(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.Edit(enginetest.HostedOptions(enginetest.HostedRollsBack))
	w.UntilSteady()
	w.Uploads = false
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for range 10 {
		w.Run()
		w.Sleep(time.Minute)
	}
	w.Uploads, w.Newest = true, v1beta1.FlinkJobCreated
	for range 5 { // its tasks take a moment
		w.Run()
		w.Sleep(2 * time.Second)
	}
	w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobRunning)
	w.UntilSteady()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
	if w.RolledBack() || len(w.Runs) != 2 {
		t.Errorf("runs %+v\n%q", w.Runs, w.Log)
	}
}

// Whether Flink was asked to run a job is not known where who was to ask has died: it is asked again after the
// submission timeout, and the job's tasks have their time from then on.
func TestAJobThatIsAskedForAgainHasItsTime(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.Edit(enginetest.HostedOptions(enginetest.HostedRollsBack))
	w.UntilSteady()
	w.Unsaid = "the connection was closed"
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for range 9 {
		w.Run()
		w.Sleep(time.Minute)
	}
	w.Unsaid, w.Newest = "", v1beta1.FlinkJobCreated
	w.Sleep(2 * time.Minute)
	for range 3 {
		w.Run()
		w.Sleep(10 * time.Second)
	}
	w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobRunning)
	w.UntilSteady()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
	if w.RolledBack() || len(w.Runs) != 3 {
		t.Errorf("runs %+v\n%q", w.Runs, w.Log)
	}
}

// As in the reference, a redeploy counts as stable at once. What a person chose is not taken back by itself.
func TestARedeployIsNotRolledBackOfASessionJob(t *testing.T) {
	begins := func(state v1beta1.FlinkJobState) func(w *enginetest.SessionJob) {
		return func(w *enginetest.SessionJob) { w.Newest = state }
	}
	fails := func(w *enginetest.SessionJob) { w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed) }
	rows := map[string]struct {
		before, then func(w *enginetest.SessionJob)
		parallelism  int32
		situation    plan.Situation
		lifecycle    v1beta1.LifecycleState
		state        v1beta1.FlinkJobState
	}{
		"its job fails at once": {
			begins(v1beta1.FlinkJobFailed), nil, 2, plan.Ended, v1beta1.LifecycleFailed, v1beta1.FlinkJobFailed,
		},
		"its job fails": {
			begins(v1beta1.FlinkJobInitializing), fails, 2, plan.Ended, v1beta1.LifecycleFailed, v1beta1.FlinkJobFailed,
		},
		"changed in the same edit, its job fails": {
			begins(v1beta1.FlinkJobInitializing), fails, 4, plan.Ended, v1beta1.LifecycleFailed, v1beta1.FlinkJobFailed,
		},
		"its tasks do not run": {
			begins(v1beta1.FlinkJobCreated), nil, 2, plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.FlinkJobCreated,
		},
		"Flink refuses to run it": {
			func(w *enginetest.SessionJob) { w.Refuses = "no such savepoint" }, nil, 2, plan.Waiting, v1beta1.LifecycleDeployed,
			v1beta1.FlinkJobReconciling,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.Edit(enginetest.HostedOptions(enginetest.HostedRollsBack))
			w.UntilSteady()
			row.before(w)
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
				nonce := int64(1)
				s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///nowhere", &nonce
				s.Job.Parallelism = row.parallelism
			})
			for i := 0; i < 10 && len(w.Runs) < 2; i++ {
				w.Run()
				w.Sleep(2 * time.Second)
			}
			if len(w.Runs) < 2 {
				t.Fatalf("Flink was not asked: %q", w.Log)
			}
			if row.then != nil {
				row.then(w)
			}
			for range 20 {
				w.Run()
				w.Sleep(time.Minute)
			}
			w.Want(row.situation, row.lifecycle, row.state)
			r := w.Status().ReconciliationStatus
			if w.RolledBack() || r.State != v1beta1.ReconciliationDeployed || r.LastStableSpec != r.LastReconciledSpec {
				t.Errorf("rolled back: %t, %+v\n%q", w.RolledBack(), r, w.Log)
			}
			for i, run := range w.Runs[1:] {
				if run.SavepointPath != "file:///nowhere" || run.Parallelism != row.parallelism {
					t.Errorf("run %d is %+v", i, run)
				}
			}
		})
	}
}
