package decide_test

import (
	"slices"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestFirstStartIsPreparedThenReleased(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	if p := w.Round(); p.String() != "FirstStart: add finalizer" {
		t.Fatalf("first round: %s", p)
	}
	w.Round()
	if w.Released || w.Status().Intent == nil || w.Status().Intent.Step != v1beta1.StepStarting {
		t.Fatalf("after the second round the start must be prepared and not released: %+v", w.Status().Intent)
	}
	w.Run()
	if !w.Released {
		t.Fatal("the start was not released")
	}
	w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("the event of the release must write nothing, got %s with status %+v", p, p.Status)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a steady world must give an empty plan, got %s with status %+v", p, p.Status)
	}
	if w.Status().Intent != nil || w.Status().Pace != v1beta1.PaceSlow {
		t.Errorf("intent %+v and pace %s are left", w.Status().Intent, w.Status().Pace)
	}
}

func TestStatelessUpgradeStopsThenStarts(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	first, _ := w.Snapshot.JobManager.Get()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.Run()
	w.Want(plan.Upgrade, v1beta1.LifecycleUpgrading, v1beta1.JobManagerReady, v1beta1.FlinkJobCancelling)
	w.Run()
	w.Terminate()
	w.Run()
	second, ok := w.Snapshot.JobManager.Get()
	if !ok || second.UID == first.UID {
		t.Fatalf("the new Deployment must be another one, rounds %q", w.Log)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if w.Status().ObservedGeneration != 2 || w.Status().TaskManager.Replicas != 2 {
		t.Errorf("observed generation %d, task managers %+v", w.Status().ObservedGeneration, w.Status().TaskManager)
	}
}

func TestSuspendAndResume(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.Run()
	w.Terminate()
	w.Run()
	w.Want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a suspended world must give an empty plan, got %s", p)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

func TestDeletionEnds(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Snapshot.Resource.DeletionTimestamp = &w.Snapshot.Resource.CreationTimestamp
	w.Run()
	w.Want(plan.Deleting, v1beta1.LifecycleDeleting, v1beta1.JobManagerReady, v1beta1.FlinkJobCancelling)
	if w.Gone {
		t.Fatal("the finalizer went while the cluster was there")
	}
	w.Terminate()
	w.Run()
	if !w.Gone {
		t.Errorf("the finalizer is still there after %q", w.Log)
	}
}

// A change of the job's state is told with the state before it.
func TestTheStateOfAJobIsTold(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.ServeJob(v1beta1.FlinkJobRestarting)
	w.Run()
	var told []string
	for _, e := range w.Events {
		if e.Reason == plan.ReasonJobStatusChanged {
			told = append(told, e.Message)
		}
	}
	want := []string{
		"Job status changed from RECONCILING to RUNNING", "Job status changed from RUNNING to RESTARTING",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
