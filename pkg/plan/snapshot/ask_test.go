package snapshot

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// A look costs requests: the job's resource is read where a decision needs it, and no more.
func TestAskJob(t *testing.T) {
	rows := map[string]struct {
		fixture func() *fixture
		asks    bool
	}{
		"new":        {func() *fixture { return newWorld(t, savepoint()) }, true},
		"completed":  {func() *fixture { return done(t, savepoint()) }, false},
		"no job":     {func() *fixture { s := savepoint(); s.JobReference = nil; return newWorld(t, s) }, false},
		"no name":    {func() *fixture { s := savepoint(); s.JobReference.Name = ""; return newWorld(t, s) }, false},
		"deleted":    {func() *fixture { return done(t, savepoint()).delete() }, true},
		"checkpoint": {func() *fixture { return done(t, checkpoint()).delete() }, false},
		"a canary": {func() *fixture {
			w := newWorld(t, savepoint())
			w.s.Resource.Labels = map[string]string{v1beta1.LabelCanary: "true"}
			return w
		}, false},
		"deleted, kept by nobody": {func() *fixture {
			w := done(t, savepoint()).delete()
			w.s.Resource.Finalizers = nil
			return w
		}, false},
		"deleted, to be kept": {func() *fixture {
			s := savepoint()
			s.Savepoint.DisposeOnDelete = yes(false)
			return done(t, s).delete()
		}, false},
	}
	for name, row := range rows {
		if got := AskJob(row.fixture().s); (got != nil) != row.asks {
			t.Errorf("%s: %v is read, want any: %t", name, got, row.asks)
		}
	}
}

// Where a checkpoint lies is asked about once it is completed; a savepoint says so itself.
func TestAskCheckpoint(t *testing.T) {
	for name, row := range map[string]struct {
		spec  v1beta1.FlinkStateSnapshotSpec
		state snapshots.OperationState
		asks  bool
	}{
		"a completed checkpoint":   {checkpoint(), snapshots.OperationCompleted, true},
		"a checkpoint in progress": {checkpoint(), snapshots.OperationInProgress, false},
		"a completed savepoint":    {savepoint(), snapshots.OperationCompleted, false},
	} {
		w := newWorld(t, row.spec).runJob()
		w.s.Flink.Operation = plan.Present(snapshots.Operation{State: row.state, CheckpointID: 7})
		if id, asks := AskCheckpoint(w.s); asks != row.asks || id != 7 {
			t.Errorf("%s: checkpoint %d is asked about: %t", name, id, asks)
		}
	}
}

// While Flink is at it, the next look is soon, and the clock is woken once.
func TestTheNextLookIsSoon(t *testing.T) {
	w := newWorld(t, savepoint()).runJob()
	woken := 0
	for range 5 {
		p := w.round()
		for _, a := range p.Actions {
			if a == plan.Action(plan.WakeClock{}) {
				woken++
			}
		}
		if s := p.Situation; (s == Taking || s == Triggering) && p.Requeue == "" {
			t.Errorf("%s: nothing is asked for", p)
		}
		w.later(2 * time.Second)
	}
	if w.want(Taking, v1beta1.SnapshotInProgress); woken != 1 {
		t.Errorf("the clock is woken %d times, want once: %q", woken, w.log)
	}
	if p := w.answer(completedAt("savepoint_0")).round(); p.Requeue != "" {
		t.Errorf("%s: %q is asked for at the end", p, p.Requeue)
	}
	quiet := newWorld(t, savepoint())
	quiet.s.SpecProblem = "spec.savepoint: a string"
	if quiet.run(); strings.Contains(strings.Join(quiet.log, "\n"), "wake") {
		t.Errorf("the clock is woken for one that will not move: %q", quiet.log)
	}
}

// A problem of the spec is told once, another one again.
func TestAProblemIsToldOnce(t *testing.T) {
	w := newWorld(t, savepoint()).runJob()
	w.s.SpecProblem = "spec.savepoint: a string"
	w.run().later(time.Hour).run().later(time.Hour).run().wantEvents("ValidationError", "a string")
	w.s.SpecProblem = "spec.savepoint: a number"
	w.run().later(time.Hour).run().wantEvents("ValidationError", "a string", "a number")
}

// What stands in the way of a snapshot is what its job, or the cluster of its job, is at.
func TestWhatAJobIsAt(t *testing.T) {
	sessionJob := func(change func(j *v1beta1.FlinkSessionJob)) func(w *fixture) {
		return func(w *fixture) {
			j := &v1beta1.FlinkSessionJob{}
			j.Namespace, j.Name, j.UID = "default", "job", "uid-of-job"
			j.Spec = v1beta1.FlinkSessionJobSpec{DeploymentName: "demo", Job: &v1beta1.JobSpec{}}
			j.Status.JobStatus = v1beta1.JobStatus{JobID: jobID, State: v1beta1.FlinkJobRunning}
			d, _ := w.s.Deployment.Get()
			j.Status.ReconciliationStatus = d.Status.ReconciliationStatus
			change(j)
			w.s.SessionJob = plan.Present(j)
			w.s.Resource.Spec.JobReference = &v1beta1.JobReference{Kind: v1beta1.JobKindFlinkSessionJob, Name: "job"}
		}
	}
	open := &v1beta1.Intent{Step: v1beta1.StepStopping}
	cluster := func(change func(d *v1beta1.FlinkDeployment)) func(w *fixture) {
		return func(w *fixture) { w.job(change) }
	}
	rows := map[string]struct {
		change []func(w *fixture)
		want   plan.Situation
		reason string
	}{
		"a session job": {
			[]func(w *fixture){sessionJob(func(*v1beta1.FlinkSessionJob) {})}, Triggering, "it runs",
		},
		"a session job, its cluster is replaced": {
			[]func(w *fixture){
				sessionJob(func(*v1beta1.FlinkSessionJob) {}),
				cluster(func(d *v1beta1.FlinkDeployment) { d.Status.Intent = open }),
			}, AwaitingJob, "the job goes with it",
		},
		"a session job that is stopped": {
			[]func(w *fixture){sessionJob(func(j *v1beta1.FlinkSessionJob) { j.Status.Intent = open })}, AwaitingJob,
			"it is about to end",
		},
		"a job that was rolled back": {
			[]func(w *fixture){cluster(func(d *v1beta1.FlinkDeployment) {
				r := &d.Status.ReconciliationStatus
				r.State, r.LastStableSpec = v1beta1.ReconciliationRolledBack, r.LastReconciledSpec
				r.LastReconciledSpec = strings.Replace(r.LastReconciledSpec, `"running"`, `"suspended"`, 1)
			})}, Triggering, "the stable spec runs",
		},
		"a stable spec of before": {
			[]func(w *fixture){cluster(func(d *v1beta1.FlinkDeployment) {
				r := &d.Status.ReconciliationStatus
				r.LastStableSpec = strings.Replace(r.LastReconciledSpec, `"running"`, `"suspended"`, 1)
			})}, Triggering, "the deployed spec runs",
		},
		"rolled back, of the Java operator": {
			[]func(w *fixture){cluster(func(d *v1beta1.FlinkDeployment) {
				d.Status.ReconciliationStatus.State = v1beta1.ReconciliationRolledBack
			})}, Triggering, "there is no stable spec, so the other runs",
		},
		"a cluster without a JobManager": {
			[]func(w *fixture){cluster(func(d *v1beta1.FlinkDeployment) {
				d.Status.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
			})}, AwaitingJob, "nobody can be asked",
		},
		"a cluster of which nothing is known yet": {
			[]func(w *fixture){cluster(func(d *v1beta1.FlinkDeployment) { d.Status.JobManagerDeploymentStatus = "" })},
			AwaitingJob, "nobody can be asked",
		},
		"a cluster whose record cannot be read": {
			[]func(w *fixture){cluster(func(d *v1beta1.FlinkDeployment) {
				d.Status.ReconciliationStatus.LastReconciledSpec = "{"
			})}, AwaitingJob, "nobody knows where it answers",
		},
		"a failed job that nobody restarts": {
			[]func(w *fixture){func(w *fixture) { w.end(v1beta1.FlinkJobFailed) }}, Abandoned, "it ended",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, savepoint()).runJob()
			for _, change := range row.change {
				change(w)
			}
			if w.run(); w.status().Situation != string(row.want) {
				t.Errorf("%s, want %s: %s; %q", w.status().Situation, row.want, row.reason, w.log)
			}
		})
	}
}

// What was asked of one job is asked about there, and asked for again there, whatever the status names since.
func TestARequestStaysWithItsJob(t *testing.T) {
	w := newWorld(t, savepoint()).runJob()
	w.lossy = true
	w.run()
	asked := w.status().Run.JobID
	w.job(func(d *v1beta1.FlinkDeployment) { d.Status.JobStatus.JobID = "" })
	if q := Ask(w.s); q == nil || q.Request == nil || q.Request.JobID != asked {
		t.Errorf("%+v, want the request to job %s", q, asked)
	}
	w.s.Resource.Status.Run = nil
	w.job(func(d *v1beta1.FlinkDeployment) { d.Status.JobStatus.JobID = jobID })
	if q := Ask(w.s); q == nil || q.Request == nil || q.Request.JobID != jobID {
		t.Errorf("%+v, want a request of another operator to be one to the job of the status", q)
	}
}

// A message that is told by a disposal that waits changes with its reason.
func TestADisposalSaysWhyItWaits(t *testing.T) {
	w := done(t, savepoint()).delete()
	w.down = true
	w.run().later(2*time.Second).run().wantEvents("CleanupFailed", "no JobManager can be reached")
	w.down = false
	w.look()
	p, _ := MakeFailed(w.s, w.status(), plan.DisposeSavepoint{}, "no access to the bucket")
	w.carry(p)
	w.wantEvents("CleanupFailed", "no JobManager can be reached", "no access to the bucket")
}

// A savepoint goes where its spec says, else where the job's configuration says.
func TestWhereASavepointGoes(t *testing.T) {
	for path, want := range map[string]string{state: state, "": "s3://of-the-job"} {
		spec := savepoint()
		spec.Savepoint.Path = path
		w := newWorld(t, spec).runJob()
		w.deploy(v1beta1.FlinkV1_20, map[string]string{"execution.checkpointing.savepoint-dir": "s3://of-the-job"})
		got := ""
		for range 5 {
			for _, a := range w.round().Actions {
				if s, is := a.(plan.TriggerSavepoint); is {
					got = s.Directory
				}
			}
		}
		if got != want {
			t.Errorf("path %q: it goes to %q, want %q", path, got, want)
		}
	}
}

// A job of the same name that was made again is another one; the error says so.
func TestAnotherJobIsNamedAsSuch(t *testing.T) {
	w := newWorld(t, savepoint()).runJob()
	w.live.State = v1beta1.FlinkJobRestarting
	w.run().want(AwaitingJob, v1beta1.SnapshotTriggerPending)
	w.job(func(d *v1beta1.FlinkDeployment) { d.UID = "uid-of-another" })
	w.run().want(Abandoned, v1beta1.SnapshotAbandoned).wantEvents(
		"SnapshotAbandoned", "savepoint snap was not found: the resource of that name is another job",
	)
}
