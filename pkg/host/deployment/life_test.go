package deployment

import (
	"slices"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// stable brings a new resource to STABLE.
func stable(t *testing.T, spec string) *fixture {
	t.Helper()
	return stableIn(t, nil, spec)
}

// stableIn does so in an installation with these settings.
func stableIn(t *testing.T, installation flinkconf.Config, spec string) *fixture {
	t.Helper()
	w := newWorld(t, spec)
	w.s.Operator = flinkconf.NewOperator(installation)
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	return w
}

func TestFirstStartIsPreparedThenReleased(t *testing.T) {
	w := newWorld(t, application)
	if p := w.round(); p.String() != "FirstStart: add finalizer" {
		t.Fatalf("first round: %s", p)
	}
	w.round()
	if w.released || w.status().Intent == nil || w.status().Intent.Step != v1beta1.StepStarting {
		t.Fatalf("after the second round the start must be prepared and not released: %+v", w.status().Intent)
	}
	w.run()
	if !w.released {
		t.Fatal("the start was not released")
	}
	w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("the event of the release must write nothing, got %s with status %+v", p, p.Status)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a steady world must give an empty plan, got %s with status %+v", p, p.Status)
	}
	if w.status().Intent != nil || w.status().Pace != v1beta1.PaceSlow {
		t.Errorf("intent %+v and pace %s are left", w.status().Intent, w.status().Pace)
	}
}

func TestStatelessUpgradeStopsThenStarts(t *testing.T) {
	w := stable(t, application)
	first, _ := w.s.JobManager.Get()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.run()
	w.want(plan.Upgrade, v1beta1.LifecycleUpgrading, v1beta1.JobManagerReady, v1beta1.FlinkJobCancelling)
	w.run()
	w.terminate()
	w.run()
	second, ok := w.s.JobManager.Get()
	if !ok || second.UID == first.UID {
		t.Fatalf("the new Deployment must be another one, rounds %q", w.log)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if w.status().ObservedGeneration != 2 || w.status().TaskManager.Replicas != 2 {
		t.Errorf("observed generation %d, task managers %+v", w.status().ObservedGeneration, w.status().TaskManager)
	}
}

func TestSuspendAndResume(t *testing.T) {
	w := stable(t, application)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.run()
	w.terminate()
	w.run()
	w.want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a suspended world must give an empty plan, got %s", p)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

func TestDeletionEnds(t *testing.T) {
	w := stable(t, application)
	w.s.Resource.DeletionTimestamp = &w.s.Resource.CreationTimestamp
	w.run()
	w.want(plan.Deleting, v1beta1.LifecycleDeleting, v1beta1.JobManagerReady, v1beta1.FlinkJobCancelling)
	if w.gone {
		t.Fatal("the finalizer went while the cluster was there")
	}
	w.terminate()
	w.run()
	if !w.gone {
		t.Errorf("the finalizer is still there after %q", w.log)
	}
}

// A change of the job's state is told with the state before it.
func TestTheStateOfAJobIsTold(t *testing.T) {
	w := stable(t, stateful)
	w.serveJob(v1beta1.FlinkJobRestarting)
	w.run()
	var told []string
	for _, e := range w.events {
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
