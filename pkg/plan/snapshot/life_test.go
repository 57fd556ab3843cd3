package snapshot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

func TestTheBackoffLimitBoundsTheAttempts(t *testing.T) {
	for _, attempts := range []int32{0, 3, 7} {
		spec := savepoint()
		spec.BackoffLimit = limit(attempts)
		w := newWorld(t, spec).runJob().run()
		for n := int32(1); n <= attempts; n++ {
			w.answer(failedWith("disk full")).run().want(BackingOff, v1beta1.SnapshotTriggerPending)
			w.later(backoff.After(n, longestBackOff)-time.Second).run().want(BackingOff, v1beta1.SnapshotTriggerPending)
			w.later(time.Second).run().want(Triggering, v1beta1.SnapshotInProgress)
		}
		w.answer(failedWith("disk full")).run().want(Failed, v1beta1.SnapshotFailed).later(time.Hour).wantQuiet()
		if got := w.status().Failures; got != attempts+1 || w.requests != int(attempts)+1 {
			t.Errorf("limit %d: %d failures, %d requests", attempts, got, w.requests)
		}
	}
	w := newWorld(t, savepoint()).runJob().run()
	for n := int32(1); n <= 20; n++ {
		w.answer(failedWith("disk full")).run().want(BackingOff, v1beta1.SnapshotTriggerPending)
		w.later(backoff.After(n, longestBackOff)).run().want(Triggering, v1beta1.SnapshotInProgress)
	}
}

func TestASavepointThatExistsIsCompleted(t *testing.T) {
	for name, hasJob := range map[string]bool{"with a job": true, "without": false} {
		spec := savepoint()
		spec.Savepoint.AlreadyExists = yes(true)
		w := newWorld(t, spec)
		if hasJob {
			w.runJob()
		} else {
			w.s.Resource.Spec.JobReference = nil
		}
		w.run().want(Completed, v1beta1.SnapshotCompleted).wantQuiet()
		got := w.status()
		if got.Path == nil || *got.Path != state || got.TriggerID != "" || got.Error != "" ||
			got.ResultTimestamp < "2026-11-21T12:00:00Z" || got.TriggerTimestamp == "" {
			t.Errorf("%s: %+v", name, got)
		}
		if w.writes != 1 || w.ready() != metav1.ConditionTrue {
			t.Errorf("%s: %d writes, Ready %s; want one", name, w.writes, w.ready())
		}
	}
}

func TestLabelsFollowTheStateAndArePutBack(t *testing.T) {
	w := newWorld(t, savepoint()).run()
	if l := w.s.Resource.Labels; l["snapshot.type"] != "SAVEPOINT" || l["snapshot.trigger-type"] != "MANUAL" ||
		l["job-reference.name"] != "" {
		t.Errorf("without a job: %v", l)
	}
	w.runJob().run()
	want := map[string]string{
		"snapshot.type": "SAVEPOINT", "snapshot.trigger-type": "MANUAL", "snapshot.state": "IN_PROGRESS",
		"job-reference.kind": "FlinkDeployment", "job-reference.name": "demo",
	}
	if got := w.s.Resource.Labels; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("in progress: %v, want %v", got, want)
	}
	writes, patches := w.writes, w.patches
	if w.run(); w.writes != writes+1 || w.patches != patches {
		t.Errorf("the first look at the request wrote %d times and patched %d", w.writes-writes, w.patches-patches)
	}
	writes = w.writes
	w.s.Resource.Labels["snapshot.state"], w.s.Resource.Labels["mine"] = "COMPLETED", "kept"
	if w.run(); w.writes != writes || w.s.Resource.Labels["snapshot.state"] != "IN_PROGRESS" ||
		w.s.Resource.Labels["mine"] != "kept" {
		t.Errorf("an edit is reverted without a status write: %d, %v", w.writes-writes, w.s.Resource.Labels)
	}
	w.answer(completedAt("savepoint_0")).run()
	if got := w.s.Resource.Labels["snapshot.state"]; got != "COMPLETED" {
		t.Errorf("label is %s", got)
	}
	w.wantQuiet()
}

func TestAJobThatIsNotThereIsWaitedFor(t *testing.T) {
	w := newWorld(t, savepoint()).run().want(plan.Invalid, v1beta1.SnapshotTriggerPending).wantQuiet()
	w.later(time.Hour).run().wantEvents("ValidationError", "was not found")
	if w.status().Error != "" {
		t.Errorf("error %q, want none: the condition tells", w.status().Error)
	}
	w.runJob().run().want(Triggering, v1beta1.SnapshotInProgress)
}

func TestAJobThatEndsAbandonsItsSnapshot(t *testing.T) {
	w := newWorld(t, savepoint()).runJob().run()
	id := w.status().TriggerID
	w.end(v1beta1.FlinkJobCanceled)
	w.run().want(Abandoned, v1beta1.SnapshotAbandoned).wantQuiet().wantEvents("SnapshotAbandoned", "is not running")
	if got := w.status(); got.Path != nil || got.TriggerID != id || id == "" {
		t.Errorf("path %v, trigger %s, want none and %s", got.Path, got.TriggerID, id)
	}
	w = newWorld(t, savepoint()).runJob().run().answer(completedAt("savepoint_0"))
	w.end(v1beta1.FlinkJobFinished)
	w.run().want(Completed, v1beta1.SnapshotCompleted)
}

func TestASavepointIsTriggeredTakenAndCompleted(t *testing.T) {
	w := newWorld(t, savepoint()).runJob().run().want(Triggering, v1beta1.SnapshotInProgress)
	id := w.status().TriggerID
	if len(id) != 32 || w.requests != 1 || w.status().Run.JobID != jobID || w.status().JobUID != "uid-of-demo" {
		t.Errorf("trigger %q, %d requests, run %+v of %s", id, w.requests, w.status().Run, w.status().JobUID)
	}
	w.later(2*time.Second).run().want(Taking, v1beta1.SnapshotInProgress).wantQuiet()
	if w.status().Pace != v1beta1.PaceFast {
		t.Error("the clock must be fast while Flink is at it")
	}
	w.answer(completedAt("savepoint_0")).run().want(Completed, v1beta1.SnapshotCompleted).wantQuiet()
	got := w.status()
	if *got.Path != "savepoint_0" || got.Error != "" || got.TriggerID != id || got.Pace != v1beta1.PaceSlow ||
		w.ready() != metav1.ConditionTrue {
		t.Errorf("%+v", got)
	}
}

func TestASavepointWithoutADirectoryIsAnError(t *testing.T) {
	spec := savepoint()
	spec.Savepoint.Path = ""
	w := newWorld(t, spec).runJob().run().want(BackingOff, v1beta1.SnapshotTriggerPending).wantQuiet()
	w.wantEvents("SavepointError", "savepoint path")
	if got := w.eventsOf("SavepointError"); got[0] != w.status().Error {
		t.Errorf("event %q, error %q, want the same", got, w.status().Error)
	}
	w.s.Resource.Spec.Savepoint.Path, w.s.Resource.Generation = state, 2
	w.run().want(Triggering, v1beta1.SnapshotInProgress)
	other := newWorld(t, spec).runJob()
	other.deploy(v1beta1.FlinkV1_20, map[string]string{"state.savepoints.dir": "s3://other"})
	other.run()
	if !strings.Contains(strings.Join(other.log, "\n"), "trigger savepoint") {
		t.Errorf("with a directory in the job's configuration: %q", other.log)
	}
}

func TestACheckpointNeedsFlink117(t *testing.T) {
	w := newWorld(t, checkpoint()).runJob().run().want(Triggering, v1beta1.SnapshotInProgress)
	w.answer(completedAt("")).run().want(Completed, v1beta1.SnapshotCompleted)
	if *w.status().Path != "checkpoint_1" || w.s.Resource.Labels["snapshot.type"] != "CHECKPOINT" {
		t.Errorf("path %s, labels %v", *w.status().Path, w.s.Resource.Labels)
	}
	spec := checkpoint()
	spec.BackoffLimit = limit(0)
	w = newWorld(t, spec).runJob()
	w.deploy(v1beta1.FlinkV1_16, nil)
	w.run().want(Failed, v1beta1.SnapshotFailed).wantEvents("CheckpointError", "requires Flink 1.17+")
	if w.status().Failures != 1 || !strings.Contains(w.status().Error, "requires Flink 1.17+") || w.requests != 0 {
		t.Errorf("%+v", w.status())
	}
}

func TestACheckpointWhosePlaceIsLost(t *testing.T) {
	rows := map[string]struct {
		details plan.Observed[Checkpoint]
		state   v1beta1.SnapshotState
		warned  bool
		reason  string
	}{
		"unread": {
			plan.Unknown[Checkpoint]("timeout"), v1beta1.SnapshotInProgress, false, "the next look asks again",
		},
		"unfinished":      {plan.Present(Checkpoint{}), v1beta1.SnapshotInProgress, false, "the statistics lag behind"},
		"left history":    {plan.Absent[Checkpoint](), v1beta1.SnapshotCompleted, true, "Flink shows so many only"},
		"not addressable": {plan.Present(Checkpoint{Done: true}), v1beta1.SnapshotCompleted, true, "it lies in memory"},
		"failed": {
			plan.Present(Checkpoint{Done: true, Failure: "expired"}), v1beta1.SnapshotCompleted, true, "as the reference",
		},
	}
	for name, row := range rows {
		w := newWorld(t, checkpoint()).runJob().run().answer(completedAt(""))
		w.look()
		w.s.Flink.Checkpoint = row.details
		w.carry(Make(w.s))
		got := w.status()
		warned := len(w.eventsOf("CheckpointError")) == 1
		if got.State != row.state || warned != row.warned || (row.warned && *got.Path != "") {
			t.Errorf("%s: %s; got %s, path %v, warned %t", name, row.reason, got.State, got.Path, warned)
		}
		says := "its location is not known: it is no longer in the history"
		if details, _ := row.details.Get(); details.Failure != "" {
			says = "its location is not known: " + details.Failure
		}
		if told := w.eventsOf("CheckpointError"); warned && !strings.Contains(told[0], says) {
			t.Errorf("%s: told %q, want %q", name, told, says)
		}
	}
}

func TestALostResultIsAFailedAttempt(t *testing.T) {
	for name, spec := range map[string]v1beta1.FlinkStateSnapshotSpec{
		"SavepointError": savepoint(), "CheckpointError": checkpoint(),
	} {
		spec.BackoffLimit = limit(1)
		w := newWorld(t, spec).runJob().run()
		lose := func() { delete(w.flink, w.status().TriggerID); w.later(6 * time.Minute).run() }
		lose()
		w.want(BackingOff, v1beta1.SnapshotTriggerPending).wantEvents(name, "its result is lost")
		if w.status().Error == "" {
			t.Error("the error must be kept while the next attempt is made")
		}
		first := w.status().TriggerID
		w.later(10*time.Second).run().want(Triggering, v1beta1.SnapshotInProgress)
		if w.status().TriggerID == first {
			t.Error("another attempt needs another ID: Flink remembers the one that failed")
		}
		lose()
		w.want(Failed, v1beta1.SnapshotFailed).wantEvents(name, "lost", "lost").wantQuiet()
		if w.status().Failures != 2 {
			t.Errorf("%d failures, want 2", w.status().Failures)
		}
	}
}

func TestAJobThatIsGoneAbandonsItsSnapshot(t *testing.T) {
	w := newWorld(t, savepoint()).runJob().run()
	w.removeJob()
	text := "Secondary resource demo (FlinkDeployment) for savepoint snap was not found"
	w.run().want(Abandoned, v1beta1.SnapshotAbandoned).wantEvents("SnapshotAbandoned", text)
	if w.status().Error != text {
		t.Errorf("error %q, want %q", w.status().Error, text)
	}
	w.later(time.Hour).wantQuiet()
	w = newWorld(t, savepoint()).runJob()
	w.end(v1beta1.FlinkJobCanceled)
	w.run().want(Abandoned, v1beta1.SnapshotAbandoned).wantEvents("SnapshotAbandoned", "is not running")
	if w.status().TriggerID != "" || w.requests != 0 {
		t.Errorf("trigger %q, %d requests, want none", w.status().TriggerID, w.requests)
	}
}

func TestAJobMadeAgainIsAnotherJob(t *testing.T) {
	again := func(d *v1beta1.FlinkDeployment) { d.UID = "uid-of-another" }
	w := newWorld(t, savepoint()).runJob().run()
	w.job(again)
	w.run().want(Abandoned, v1beta1.SnapshotAbandoned).wantEvents("SnapshotAbandoned", "another job")
	w = newWorld(t, savepoint()).runJob()
	w.s.Resource.Annotations = map[string]string{v1beta1.AnnotationJobUID: "uid-of-demo"}
	w.job(again)
	w.run().want(Abandoned, v1beta1.SnapshotAbandoned)
	if w.requests != 0 {
		t.Errorf("%d requests to another job", w.requests)
	}
}

func TestAJobThatComesBackIsWaitedFor(t *testing.T) {
	moves := map[string]func(w *fixture){
		"restarting":     func(w *fixture) { w.live.State = v1beta1.FlinkJobRestarting },
		"not listed yet": func(w *fixture) { w.unlisted = true },
		"Flink is away":  func(w *fixture) { w.down = true },
		"being upgraded": func(w *fixture) {
			w.job(func(d *v1beta1.FlinkDeployment) { d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping} })
		},
		"the reference's": func(w *fixture) {
			w.job(func(d *v1beta1.FlinkDeployment) {
				d.Status.ReconciliationStatus.State = v1beta1.ReconciliationUpgrading
			})
		},
		"recorded as moving": func(w *fixture) { w.down = true; w.end(v1beta1.FlinkJobReconciling) },
	}
	for name, move := range moves {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, savepoint()).runJob()
			move(w)
			w.run().want(AwaitingJob, v1beta1.SnapshotTriggerPending)
			w.later(5*time.Minute).run().want(AwaitingJob, v1beta1.SnapshotTriggerPending).wantQuiet()
			if w.requests != 0 || w.ready() != metav1.ConditionFalse {
				t.Errorf("%d requests, ready %s", w.requests, w.ready())
			}
			back := *w
			back.s.Resource = w.s.Resource.DeepCopy()
			back.down, back.unlisted = false, false
			back.runJob().run().want(Triggering, v1beta1.SnapshotInProgress)
			w.later(5*time.Minute).run().want(Abandoned, v1beta1.SnapshotAbandoned)
		})
	}
	w := newWorld(t, savepoint()).runJob()
	w.deploy(v1beta1.FlinkV1_20, map[string]string{"kubernetes.operator.job.restart.failed": "true"})
	w.end(v1beta1.FlinkJobFailed)
	w.run().want(AwaitingJob, v1beta1.SnapshotTriggerPending)
}

func TestASuspendedJobIsNotWaitedFor(t *testing.T) {
	w := newWorld(t, savepoint()).runJob()
	w.job(func(d *v1beta1.FlinkDeployment) {
		r := &d.Status.ReconciliationStatus
		r.LastReconciledSpec = strings.Replace(r.LastReconciledSpec, `"running"`, `"suspended"`, 1)
		d.Status.JobStatus.State = v1beta1.FlinkJobFinished
		d.Status.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	})
	w.run().want(Abandoned, v1beta1.SnapshotAbandoned)
}

func TestAReplacedClusterIsAskedAgain(t *testing.T) {
	rows := map[string]func(w *fixture){
		"another start of the same job": func(w *fixture) { w.live.StartTime = "1700000009999" },
		"another job ID": func(w *fixture) {
			w.job(func(d *v1beta1.FlinkDeployment) { d.Status.JobStatus.JobID = strings.Repeat("b", 32) })
		},
	}
	for name, replace := range rows {
		w := newWorld(t, savepoint()).runJob().run()
		first := w.status().TriggerID
		replace(w)
		delete(w.flink, first)
		p := w.round()
		if p.Requeue != plan.RequeueNow || w.status().State != v1beta1.SnapshotTriggerPending || w.status().Failures != 0 {
			t.Errorf("%s: %+v", name, w.status())
		}
		w.job(func(d *v1beta1.FlinkDeployment) { d.Status.JobStatus.JobID = jobID })
		w.run().want(Triggering, v1beta1.SnapshotInProgress)
		if w.status().TriggerID == first || w.status().Failures != 0 || len(w.eventsOf("SavepointError")) != 0 {
			t.Errorf("%s: %+v", name, w.status())
		}
	}
}

func TestALostRequestIsMadeAgain(t *testing.T) {
	w := newWorld(t, savepoint()).runJob()
	w.lossy = true
	w.run().want(Triggering, v1beta1.SnapshotInProgress)
	id := w.status().TriggerID
	w.later(2*time.Second).run().want(Triggering, v1beta1.SnapshotInProgress)
	w.lossy = false
	w.later(2*time.Second).run().later(2*time.Second).run().want(Taking, v1beta1.SnapshotInProgress)
	if w.status().TriggerID != id || w.requests != 1 || w.status().Failures != 0 {
		t.Errorf(
			"trigger %s, %d requests, %d failures; want %s once", w.status().TriggerID, w.requests, w.status().Failures, id,
		)
	}
}

func TestARequestOfTheJavaOperatorIsTakenOver(t *testing.T) {
	w := newWorld(t, savepoint()).runJob()
	w.s.Resource.Finalizers = []string{v1beta1.FinalizerFlinkStateSnapshot}
	w.s.Resource.Status = v1beta1.FlinkStateSnapshotStatus{
		State: v1beta1.SnapshotInProgress, TriggerID: strings.Repeat("c", 32),
		TriggerTimestamp: "2026-11-21T11:59:50.123456Z",
	}
	lost := *w
	lost.s.Resource = w.s.Resource.DeepCopy()
	lost.flink = map[string]snapshots.Operation{}
	w.answer(completedAt("savepoint_9")).run().want(Completed, v1beta1.SnapshotCompleted)
	if w.requests != 0 || w.status().JobUID != "uid-of-demo" {
		t.Errorf("%d requests, job %s", w.requests, w.status().JobUID)
	}
	lost.run().want(BackingOff, v1beta1.SnapshotTriggerPending).wantEvents("SavepointError", "lost")
}

func TestARefusedRequestIsAFailedAttempt(t *testing.T) {
	w := newWorld(t, savepoint()).runJob()
	w.lossy = true
	w.run()
	p, shown := MakeFailed(w.s, w.status(), plan.TriggerSavepoint{}, "no such directory")
	if !shown {
		t.Fatal("not shown")
	}
	w.carry(p)
	w.want(BackingOff, v1beta1.SnapshotTriggerPending).wantQuiet().wantEvents("SavepointError", "no such directory")
	if _, shown := MakeFailed(w.s, w.status(), plan.SetLabels{}, "conflict"); shown {
		t.Error("a label that could not be set is no failed attempt")
	}
}

func TestASessionJobsOwnDirectory(t *testing.T) {
	spec := savepoint()
	spec.JobReference = &v1beta1.JobReference{Kind: v1beta1.JobKindFlinkSessionJob, Name: "job"}
	spec.Savepoint.Path = ""
	w := newWorld(t, spec).runJob()
	cluster := w.deploy(v1beta1.FlinkV1_20, map[string]string{"state.savepoints.dir": "s3://cluster"})
	j := &v1beta1.FlinkSessionJob{}
	j.Namespace, j.Name, j.UID = "default", "job", "uid-of-job"
	j.Spec = v1beta1.FlinkSessionJobSpec{DeploymentName: "demo", Job: &v1beta1.JobSpec{}}
	if err := j.Spec.FlinkConfiguration.UnmarshalJSON([]byte(`{"state.savepoints.dir":"s3://job"}`)); err != nil {
		t.Fatal(err)
	}
	j.Status.JobStatus = v1beta1.JobStatus{JobID: jobID, State: v1beta1.FlinkJobRunning}
	j.Status.ReconciliationStatus = cluster.Status.ReconciliationStatus
	w.s.SessionJob = plan.Present(j)
	w.round() // finalizer
	w.look()
	p := Make(w.s)
	for _, a := range p.Actions {
		if s, ok := a.(plan.TriggerSavepoint); ok && s.Directory == "s3://job" &&
			s.Endpoint.URL == "http://demo-rest.default.svc:8081" {
			return
		}
	}
	t.Errorf("actions %v", p.Actions)
}

func TestACanaryIsLeftAlone(t *testing.T) {
	w := newWorld(t, v1beta1.FlinkStateSnapshotSpec{})
	w.s.Resource.Labels = map[string]string{v1beta1.LabelCanary: "TRUE"}
	if w.run(); w.writes != 0 || w.patches != 0 || len(w.events) != 0 {
		t.Errorf("%d writes, %d patches, events %v", w.writes, w.patches, w.events)
	}
}
