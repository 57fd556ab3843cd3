package sessionjob

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestNoSessionRollbackWithoutItsState(t *testing.T) {
	w := changed(t, "savepoint", rollsBack)
	w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed)
	w.s.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
	w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
	for range 5 {
		w.run()
		w.sleep(time.Minute)
	}
	s := w.status()
	if w.rolledBack() || s.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || len(w.runs) != 2 {
		t.Errorf("%+v, runs %+v\n%q", s.ReconciliationStatus, w.runs, w.log)
	}
	if told := w.condition("Stalled"); !strings.HasPrefix(told, "RollbackImpossible: ") ||
		!strings.Contains(told, "kubectl patch flinksessionjob etl") {
		t.Errorf("a person is not told why: %q", told)
	}
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a second look must be quiet, got %s", p)
	}
}

// Before the resumption nothing ran that could be gone back to.
func TestNoRollbackOfAResumedSessionJob(t *testing.T) {
	const missing = "https://jars.example.com/missing.jar"
	rows := map[string]struct{ fails, heals func(w *fixture) }{
		"Flink refuses to run it": {
			func(w *fixture) { w.refuses = "no such method" }, func(w *fixture) { w.refuses = "" },
		},
		"its jar cannot be had": {
			func(w *fixture) {
				w.missing = missing
				w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.JarURI = missing })
			},
			func(w *fixture) { w.missing = "" },
		},
		"nobody uploads its jar": {
			func(w *fixture) { w.uploads = false }, func(w *fixture) { w.uploads = true },
		},
		"its tasks do not run": {
			func(w *fixture) { w.newest = v1beta1.FlinkJobCreated },
			func(w *fixture) { w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobRunning) },
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateful("savepoint"))
			w.edit(options(rollsBack))
			w.untilSteady()
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.run()
			w.run()
			w.want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.FlinkJobFinished)
			row.fails(w)
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateRunning })
			for range 30 {
				w.run()
				w.sleep(time.Minute)
				if state := w.status().ReconciliationStatus.State; w.rolledBack() ||
					state == v1beta1.ReconciliationRollingBack || state == v1beta1.ReconciliationRolledBack {
					t.Fatalf("it is %s\n%q", state, w.log)
				}
			}
			row.heals(w)
			w.sleep(10 * time.Minute)
			w.untilSteady()
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
			if last := w.runs[len(w.runs)-1]; last.SavepointPath != "file:///s/savepoint-1" || len(w.running()) != 1 {
				t.Errorf("runs %+v, jobs %+v", w.runs, w.jobs)
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
			w := changed(t, "savepoint", `{}`)
			w.sleep(time.Hour)
			w.run()
			if w.rolledBack() || w.status().Intent != nil {
				t.Fatal("a roll-back is not enabled")
			}
			w.s.Resource.Annotations = map[string]string{v1beta1.AnnotationRollback: row.generation}
			w.run()
			if !row.back {
				if w.rolledBack() {
					t.Errorf("rolled back: %q", w.log)
				}
				return
			}
			w.untilSteady()
			w.want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
			if last := w.runs[len(w.runs)-1]; last.Parallelism != 2 || last.SavepointPath != "file:///s/savepoint-1" {
				t.Errorf("runs %+v", w.runs)
			}
		})
	}
}

// A jar that comes late, as when the request for its upload was lost, takes nothing from the time that its job has.
func TestALateUploadLeavesAJobItsTime(t *testing.T) {
	w := newWorld(t, stateful("savepoint"))
	w.edit(options(rollsBack))
	w.untilSteady()
	w.uploads = false
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for range 10 {
		w.run()
		w.sleep(time.Minute)
	}
	w.uploads, w.newest = true, v1beta1.FlinkJobCreated
	for range 5 { // its tasks take a moment
		w.run()
		w.sleep(2 * time.Second)
	}
	w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobRunning)
	w.untilSteady()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
	if w.rolledBack() || len(w.runs) != 2 {
		t.Errorf("runs %+v\n%q", w.runs, w.log)
	}
}

// Whether Flink was asked to run a job is not known where who was to ask has died: it is asked again after the
// submission timeout, and the job's tasks have their time from then on.
func TestAJobThatIsAskedForAgainHasItsTime(t *testing.T) {
	w := newWorld(t, stateful("savepoint"))
	w.edit(options(rollsBack))
	w.untilSteady()
	w.unsaid = "the connection was closed"
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	for range 9 {
		w.run()
		w.sleep(time.Minute)
	}
	w.unsaid, w.newest = "", v1beta1.FlinkJobCreated
	w.sleep(2 * time.Minute)
	for range 3 {
		w.run()
		w.sleep(10 * time.Second)
	}
	w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobRunning)
	w.untilSteady()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
	if w.rolledBack() || len(w.runs) != 3 {
		t.Errorf("runs %+v\n%q", w.runs, w.log)
	}
}

// As in the reference, a redeploy counts as stable at once. What a person chose is not taken back by itself.
func TestARedeployIsNotRolledBack(t *testing.T) {
	begins := func(state v1beta1.FlinkJobState) func(w *fixture) { return func(w *fixture) { w.newest = state } }
	fails := func(w *fixture) { w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed) }
	rows := map[string]struct {
		before, then func(w *fixture)
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
			func(w *fixture) { w.refuses = "no such savepoint" }, nil, 2, plan.Waiting, v1beta1.LifecycleDeployed,
			v1beta1.FlinkJobReconciling,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateful("savepoint"))
			w.edit(options(rollsBack))
			w.untilSteady()
			row.before(w)
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) {
				nonce := int64(1)
				s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///nowhere", &nonce
				s.Job.Parallelism = row.parallelism
			})
			for i := 0; i < 10 && len(w.runs) < 2; i++ {
				w.run()
				w.sleep(2 * time.Second)
			}
			if len(w.runs) < 2 {
				t.Fatalf("Flink was not asked: %q", w.log)
			}
			if row.then != nil {
				row.then(w)
			}
			for range 20 {
				w.run()
				w.sleep(time.Minute)
			}
			w.want(row.situation, row.lifecycle, row.state)
			r := w.status().ReconciliationStatus
			if w.rolledBack() || r.State != v1beta1.ReconciliationDeployed || r.LastStableSpec != r.LastReconciledSpec {
				t.Errorf("rolled back: %t, %+v\n%q", w.rolledBack(), r, w.log)
			}
			for i, run := range w.runs[1:] {
				if run.SavepointPath != "file:///nowhere" || run.Parallelism != row.parallelism {
					t.Errorf("run %d is %+v", i, run)
				}
			}
		})
	}
}
