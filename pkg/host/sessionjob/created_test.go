package sessionjob

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// serveTasks makes Flink answer with a RUNNING job of four tasks.
func (w *fixture) serveTasks(running, finished int) {
	w.t.Helper()
	w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobRunning)
	if len(w.jobs) != 1 {
		w.t.Fatalf("jobs %+v, rounds %q", w.jobs, w.log)
	}
	w.jobs[0].Tasks, w.jobs[0].Running, w.jobs[0].Finished = 4, running, finished
}

func TestTheJobIsCreatedUntilItsTasksRun(t *testing.T) {
	rows := map[string]struct {
		running, finished int
		runs              bool
		reason            string
	}{
		"no task runs":                {0, 0, false, "Flink says RUNNING before a TaskManager exists"},
		"half of them run":            {2, 0, false, "the others wait for slots"},
		"all run":                     {4, 0, true, ""},
		"some run, the others ended":  {2, 2, true, "bounded sources end before the rest"},
		"all ended":                   {0, 4, true, "Flink is about to say FINISHED"},
		"some ended, the others wait": {0, 1, false, "a bounded source may end before the rest has slots"},
		"a source ended, others wait": {2, 1, false, "the same"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			for len(w.runs) == 0 {
				w.round()
			}
			w.serveTasks(row.running, row.finished)
			w.run()
			if row.runs {
				w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
				return
			}
			w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.FlinkJobCreated)
			if c := w.condition("Reconciling"); !strings.HasPrefix(c, "TasksNotRunning: ") {
				t.Errorf("Reconciling says %q: %s", c, row.reason)
			}
		})
	}
}

func TestARecoveredJobIsStableWithItsTasks(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobInitializing)
	w.run()
	w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.FlinkJobInitializing)
	w.serveTasks(0, 0)
	w.run()
	w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.FlinkJobCreated)
	w.serveTasks(4, 0)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
}
