package operation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// A job that has not ended was not stopped, whatever Flink says of the request: it restarts a job whose tasks do not
// end after the savepoint.
func TestOnlyAJobThatEndedWasStoppedOfASessionJob(t *testing.T) {
	const path = "file:///s/savepoint-1"
	type listed = world.Job
	rows := map[string]struct {
		job   listed
		after time.Duration
		fails bool
	}{
		"it was restarted":      {listed{State: v1beta1.FlinkJobRunning, Tasks: 2, Running: 2}, 0, true},
		"it is being restarted": {listed{State: v1beta1.FlinkJobRestarting, Tasks: 2}, 0, true},
		"it is failing":         {listed{State: v1beta1.FlinkJobFailing, Tasks: 2}, 0, true},
		"it is about to finish": {listed{State: v1beta1.FlinkJobRunning, Tasks: 2, Running: 1, Finished: 1}, 0, false},
		"it stays half-way": {
			listed{State: v1beta1.FlinkJobRunning, Tasks: 2, Running: 1, Finished: 1}, 12 * time.Minute, true,
		},
		"somebody cancels it": {listed{State: v1beta1.FlinkJobCancelling, Tasks: 2}, 0, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.UntilSteady()
			w.Saves = false
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.Run()
			w.Stops[w.Status().Intent.TriggerID] = path
			j := &w.Jobs[0]
			j.State, j.Tasks, j.Running, j.Finished = row.job.State, row.job.Tasks, row.job.Running, row.job.Finished
			w.Sleep(row.after)
			asked := len(w.Log)
			w.Run()
			intent, retry, message := w.Status().Intent, w.Status().Retry, w.Status().Error
			failed := intent == nil && retry != nil && retry.Reason == "StopUnfinished" &&
				strings.Contains(message, path)
			if waits := intent != nil && retry == nil && message == ""; failed != row.fails || waits == row.fails {
				t.Errorf("intent %+v, retry %+v, error %q; want that it failed: %t", intent, retry, message, row.fails)
			}
			if len(w.Runs) != 1 || strings.Contains(strings.Join(w.Log[asked:], "\n"), "cancel") {
				t.Errorf("the job goes on, got %q", w.Log[asked:])
			}
		})
	}
}
