package decide_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
)

// A job whose start fails because the files of its savepoint are gone fails again with each start: a person is told
// what else there is, and the command.
func TestMissingFilesOfAStartAreTold(t *testing.T) {
	const missing = "JobInitializationException: Could not start the JobMaster. <- FileNotFoundException: Cannot find " +
		"checkpoint or savepoint file/directory 's3://s/savepoint-2' on file system 's3'."
	for name, row := range map[string]struct {
		cause, from string
		told        bool
	}{
		"of its start":         {missing, "s3://s/savepoint-2", true},
		"of something else":    {missing, "s3://s/savepoint-3", false},
		"another failure":      {"java.lang.IllegalStateException: s3://s/savepoint-2", "s3://s/savepoint-2", false},
		"of no start of state": {missing, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			s := &w.Snapshot.Resource.Status.JobStatus
			s.UpgradeSavepointPath = row.from
			s.SavepointInfo = &v1beta1.SavepointInfo{SavepointHistory: []v1beta1.Savepoint{
				{Location: "s3://s/savepoint-1"}, {Location: "s3://s/savepoint-2"},
			}}
			w.ServeJob(v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Failure = plan.Present(row.cause)
			w.Run()
			c := w.Condition(summary.Stalled)
			told := c.Reason == string(plan.ReasonCheckpointNotFound) &&
				strings.Contains(c.Message, "s3://s/savepoint-1") && strings.Contains(c.Message, "kubectl patch")
			if told != row.told {
				t.Errorf("told %t, want %t: %+v; rounds %q", told, row.told, c, w.Log)
			}
		})
	}
}

// restartsWithout has Flink restart the job, because a file is not there.
func restartsWithout(w *enginetest.Deployment, file string) {
	w.ServeJob(v1beta1.FlinkJobRestarting)
	w.Snapshot.Flink.Exceptions = plan.Present([]exceptions.Entry{{
		At: w.Snapshot.Now, StackTrace: "java.lang.Exception: restore\nCaused by: java.io.FileNotFoundException: " + file,
	}})
	w.Run()
}

// A job that fails over and does not find the files of its checkpoint restarts without end: that is Stalled, until its
// tasks run.
func TestMissingFilesOfAFailOverAreTold(t *testing.T) {
	w := enginetest.Stable(t, enginetest.SavesHighlyAvailable)
	s := &w.Snapshot.Resource.Status.JobStatus
	s.Checkpoint = &v1beta1.KnownCheckpoint{JobID: s.JobID, Path: "s3://c/chk-7"}
	s.UpgradeSavepointPath = "s3://s/savepoint-1"
	stalled := func() bool {
		return w.Condition(summary.Stalled).Reason == string(plan.ReasonCheckpointNotFound) &&
			w.Condition(summary.StateSafe).Status == "False"
	}
	restartsWithout(w, "s3://elsewhere/chk-1")
	if stalled() {
		t.Errorf("another file: %+v", w.Condition(summary.Stalled))
	}
	restartsWithout(w, "s3://c/chk-7/_metadata")
	if message := w.Condition(summary.Stalled).Message; !stalled() || !strings.Contains(message, "s3://s/savepoint-1") ||
		!strings.Contains(message, "kubectl patch") {
		t.Errorf("conditions %+v, rounds %q", w.Status().Conditions, w.Log)
	}
	w.Snapshot.Flink.Exceptions = plan.Observed[[]exceptions.Entry]{} // a look that does not ask for the history
	w.Run()
	if !stalled() || w.Told(string(plan.ReasonCheckpointNotFound)) != 1 {
		t.Errorf("told %d times, conditions %+v", w.Told(string(plan.ReasonCheckpointNotFound)), w.Status().Conditions)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	if stalled() || w.Condition(summary.Stalled).Status == "True" {
		t.Errorf("it runs: %+v", w.Status().Conditions)
	}
}
