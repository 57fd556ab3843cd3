package deployment

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// serveTasks makes Flink answer with a RUNNING job of four tasks.
func (w *fixture) serveTasks(running, finished int) {
	w.serveJob(v1beta1.FlinkJobRunning)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].Running, jobs[0].Finished = running, finished
	w.s.Flink.Jobs = plan.Present(jobs)
}

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
			w := newWorld(t, application)
			w.run()
			w.serveTasks(row.running, row.finished)
			w.run()
			status := w.status()
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
	w := stable(t, application)
	w.s.Flink = world.Flink{Jobs: plan.Unknown[[]world.Job]("connection refused")}
	w.run()
	w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling)
	w.serveJob(v1beta1.FlinkJobInitializing)
	w.run()
	w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerReady, v1beta1.FlinkJobInitializing)
	w.serveTasks(0, 0)
	w.run()
	w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerReady, v1beta1.FlinkJobCreated)
	w.serveTasks(4, 0)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}
