package sessionjob_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// serveTasks makes Flink answer with a RUNNING job of four tasks.
func serveTasks(w *enginetest.SessionJob, running, finished int) {
	w.T.Helper()
	w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobRunning)
	if len(w.Jobs) != 1 {
		w.T.Fatalf("jobs %+v, rounds %q", w.Jobs, w.Log)
	}
	w.Jobs[0].Tasks, w.Jobs[0].Running, w.Jobs[0].Finished = 4, running, finished
}

func TestTheJobIsCreatedUntilItsTasksRunOfASessionJob(t *testing.T) {
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
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			for len(w.Runs) == 0 {
				w.Round()
			}
			serveTasks(w, row.running, row.finished)
			w.Run()
			if row.runs {
				w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
				return
			}
			w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.FlinkJobCreated)
			if c := w.Condition("Reconciling"); !strings.HasPrefix(c, "TasksNotRunning: ") {
				t.Errorf("Reconciling says %q: %s", c, row.reason)
			}
		})
	}
}

func TestARecoveredJobIsStableWithItsTasksOfASessionJob(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobInitializing)
	w.Run()
	w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.FlinkJobInitializing)
	serveTasks(w, 0, 0)
	w.Run()
	w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.FlinkJobCreated)
	serveTasks(w, 4, 0)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
}
