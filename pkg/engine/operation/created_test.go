package operation_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The state that the Java operator shows.
func TestTheJobIsCreatedUntilItsTasksRun(t *testing.T) {
	rows := map[string]struct {
		running, finished int
		job               v1beta1.FlinkJobState
		lifecycle         v1beta1.LifecycleState
		reason            string
	}{
		"no task runs":                {0, 0, "CREATED", "DEPLOYED", "Flink says RUNNING before a TaskManager exists"},
		"half of them run":            {2, 0, "CREATED", "DEPLOYED", "the others wait for slots"},
		"all run":                     {4, 0, "RUNNING", "STABLE", ""},
		"some run, the others ended":  {2, 2, "RUNNING", "STABLE", "bounded sources end before the rest"},
		"all ended":                   {0, 4, "RUNNING", "STABLE", "Flink is about to say FINISHED"},
		"some ended, the others wait": {0, 1, "CREATED", "DEPLOYED", "a bounded source may end before the rest has slots"},
		"a source ended, others wait": {2, 1, "CREATED", "DEPLOYED", "the same"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, enginetest.Application)
			w.Run()
			w.ServeTasks(row.running, row.finished)
			w.Run()
			status := w.Status()
			if status.JobStatus.State != row.job || status.LifecycleState != row.lifecycle {
				t.Errorf("%s and %s, want %s and %s: %s", status.JobStatus.State, status.LifecycleState,
					row.job, row.lifecycle, row.reason)
			}
			running := row.job == "RUNNING"
			for _, c := range status.Conditions {
				follows := c.Type == summary.Running || c.Type == summary.JobRunning || c.Type == summary.Ready
				if follows && (c.Status == "True") != running {
					t.Errorf("%s is %s, %s", c.Type, c.Status, c.Reason)
				}
				if c.Type == summary.Reconciling && c.Reason != "TasksNotRunning" {
					t.Errorf("Reconciling says %s", c.Reason)
				}
			}
		})
	}
}

func TestARecoveredJobIsStableWithItsTasks(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Snapshot.Flink = world.Flink{Jobs: plan.Unknown[[]world.Job]("connection refused")}
	w.Run()
	w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling)
	w.ServeJob(v1beta1.FlinkJobInitializing)
	w.Run()
	w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerReady, v1beta1.FlinkJobInitializing)
	w.ServeTasks(0, 0)
	w.Run()
	w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerReady, v1beta1.FlinkJobCreated)
	w.ServeTasks(4, 0)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}
