package handover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// sessionJob runs at generation 3.
func sessionJob(changes ...func(r *v1beta1.FlinkSessionJob)) plan.Observed[*v1beta1.FlinkSessionJob] {
	r := &v1beta1.FlinkSessionJob{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
	r.Spec.Job = &v1beta1.JobSpec{State: v1beta1.JobStateRunning}
	r.Status.ObservedGeneration = 3
	r.Status.LifecycleState = v1beta1.LifecycleStable
	r.Status.JobStatus = v1beta1.JobStatus{State: v1beta1.FlinkJobRunning, UpgradeSavepointPath: "s3://sp/1"}
	r.Status.ReconciliationStatus.LastReconciledSpec = "{}"
	for _, change := range changes {
		change(r)
	}
	return plan.Present(r)
}

// stopped has its job ended by a stop with savepoint.
func stopped(r *v1beta1.FlinkSessionJob) {
	r.Spec.Job.State = v1beta1.JobStateSuspended
	r.Status.LifecycleState = v1beta1.LifecycleSuspended
	r.Status.JobStatus = v1beta1.JobStatus{State: v1beta1.FlinkJobFinished, UpgradeSavepointPath: "s3://sp/2"}
}

func retries(reason string) func(r *v1beta1.FlinkSessionJob) {
	return func(r *v1beta1.FlinkSessionJob) {
		r.Status.Retry = &v1beta1.Retry{Generation: 3, Reason: reason, Message: "it failed"}
	}
}

func TestSee(t *testing.T) {
	type job = v1beta1.FlinkSessionJob
	wanted := func(seen handover.Job) handover.Job {
		seen.Wanted, seen.Path, seen.Checkpoint = true, "s3://sp/1", handover.Yes
		return seen
	}
	for name, row := range map[string]struct {
		of   plan.Observed[*job]
		want handover.Job
	}{
		"it cannot be read": {
			plan.Unknown[*job]("timeout"), handover.Job{Unread: "timeout"},
		},
		"it is not there": {
			plan.Absent[*job](), handover.Job{Gone: true, Runs: handover.No, Checkpoint: handover.Yes},
		},
		"it runs": {sessionJob(), wanted(handover.Job{Runs: handover.Yes})},
		"it is being deleted": {
			sessionJob(func(r *job) { r.DeletionTimestamp = &metav1.Time{} }),
			wanted(handover.Job{Gone: true, Runs: handover.Yes}),
		},
		"its status is of another spec": {
			sessionJob(func(r *job) { r.Generation = 4 }), wanted(handover.Job{Runs: handover.Pending}),
		},
		"an operation is under way": {
			sessionJob(func(r *job) { r.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepReleased} }),
			wanted(handover.Job{Runs: handover.Pending}),
		},
		"its tasks do not run": {
			sessionJob(func(r *job) { r.Status.JobStatus.State = v1beta1.FlinkJobRestarting }),
			wanted(handover.Job{Runs: handover.Pending}),
		},
		"it failed": {
			sessionJob(func(r *job) { r.Status.JobStatus.State = v1beta1.FlinkJobFailed }),
			wanted(handover.Job{Runs: handover.Pending, Failed: "the job is FAILED"}),
		},
		"main failed": {
			sessionJob(retries("JarRunFailed"), func(r *job) { r.Status.LifecycleState = v1beta1.LifecycleDeployed }),
			wanted(handover.Job{Runs: handover.Pending, Failed: "it failed"}),
		},
		"its jar cannot be had yet": {
			sessionJob(retries("JarNotFound"), func(r *job) { r.Status.LifecycleState = v1beta1.LifecycleDeployed }),
			wanted(handover.Job{Runs: handover.Pending}),
		},
		"it stopped with a savepoint": {
			sessionJob(stopped), handover.Job{Runs: handover.No, Path: "s3://sp/2", Checkpoint: handover.Yes},
		},
		"its stop failed": {
			sessionJob(stopped, retries("SavepointError"), func(r *job) {
				r.Status.JobStatus.State, r.Status.LifecycleState = v1beta1.FlinkJobRunning, v1beta1.LifecycleStable
			}),
			handover.Job{Runs: handover.Pending, Path: "s3://sp/2", StopFailed: "it failed", Checkpoint: handover.Yes},
		},
		"it ended without a savepoint": {
			sessionJob(stopped, func(r *job) { r.Status.JobStatus.State = v1beta1.FlinkJobCanceled }),
			handover.Job{Runs: handover.No, Checkpoint: handover.Yes},
		},
		"its newest state is not known": {
			sessionJob(stopped, func(r *job) { r.Status.JobStatus.LastStateUnread = true }),
			handover.Job{Runs: handover.No, Checkpoint: handover.Yes},
		},
		"its state is that of high availability": {
			sessionJob(stopped, func(r *job) { r.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder }),
			handover.Job{Runs: handover.No, Checkpoint: handover.Yes},
		},
		"it is suspended, and its job has not ended": {
			sessionJob(stopped, func(r *job) { r.Status.JobStatus.State = v1beta1.FlinkJobRunning }),
			handover.Job{Runs: handover.Pending, Path: "s3://sp/2", Checkpoint: handover.Yes},
		},
		"it never ran": {
			sessionJob(stopped, func(r *job) {
				r.Status = v1beta1.FlinkSessionJobStatus{}
				r.Status.ObservedGeneration = 3
			}),
			handover.Job{Runs: handover.No, Checkpoint: handover.Yes},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, handover.See(row.of, handover.Yes)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	r, _ := sessionJob(stopped).Get()
	application := &v1beta1.FlinkDeployment{ObjectMeta: r.ObjectMeta, Spec: v1beta1.FlinkDeploymentSpec{Job: r.Spec.Job}}
	application.Status.ObservedGeneration = 3
	application.Status.LifecycleState, application.Status.JobStatus = v1beta1.LifecycleSuspended, r.Status.JobStatus
	want := handover.Job{Runs: handover.No, Path: "s3://sp/2", Checkpoint: handover.Yes}
	if diff := cmp.Diff(want, handover.SeeApplication(plan.Present(application), handover.Yes)); diff != "" {
		t.Errorf("an application (-want +got):\n%s", diff)
	}
	if got := handover.See(sessionJob(), handover.No).Checkpoint; got != handover.No {
		t.Errorf("checkpoint %q, want what Flink said", got)
	}
}
