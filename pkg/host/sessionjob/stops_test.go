package sessionjob

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// A job that has not ended was not stopped, whatever Flink says of the request: it restarts a job whose tasks do not
// end after the savepoint.
func TestOnlyAJobThatEndedWasStopped(t *testing.T) {
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
			w := newWorld(t, stateful("savepoint"))
			w.untilSteady()
			w.saves = false
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.run()
			w.stops[w.status().Intent.TriggerID] = path
			j := &w.jobs[0]
			j.State, j.Tasks, j.Running, j.Finished = row.job.State, row.job.Tasks, row.job.Running, row.job.Finished
			w.sleep(row.after)
			asked := len(w.log)
			w.run()
			intent, retry, message := w.status().Intent, w.status().Retry, w.status().Error
			failed := intent == nil && retry != nil && retry.Reason == "StopUnfinished" &&
				strings.Contains(message, path)
			if waits := intent != nil && retry == nil && message == ""; failed != row.fails || waits == row.fails {
				t.Errorf("intent %+v, retry %+v, error %q; want that it failed: %t", intent, retry, message, row.fails)
			}
			if len(w.runs) != 1 || strings.Contains(strings.Join(w.log[asked:], "\n"), "cancel") {
				t.Errorf("the job goes on, got %q", w.log[asked:])
			}
		})
	}
}
