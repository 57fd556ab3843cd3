package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A person who has to choose the state is told the newest one that status knows.
func TestALostJobNamesItsNewestState(t *testing.T) {
	const started, saved, checkpoint = "file:///s/started", "file:///s/saved", "file:///c/chk-7"
	startedFrom := func(w *enginetest.SessionJob) {
		w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.InitialSavepointPath = started })
	}
	known := func(path string) func(s *v1beta1.JobStatus) {
		return func(s *v1beta1.JobStatus) { s.Checkpoint = &v1beta1.KnownCheckpoint{JobID: s.JobID, Path: path} }
	}
	savepoint := func(s *v1beta1.JobStatus) {
		s.SavepointInfo = &v1beta1.SavepointInfo{LastSavepoint: &v1beta1.Savepoint{Location: saved}}
	}
	empty := func(*enginetest.SessionJob) {}
	rows := map[string]struct {
		begin   func(w *enginetest.SessionJob)
		records []func(s *v1beta1.JobStatus)
		want    string
	}{
		"a checkpoint": {
			startedFrom, []func(*v1beta1.JobStatus){savepoint, known(checkpoint)},
			"The newest checkpoint that is known is " + checkpoint + "; a newer one may be beside it.",
		},
		"a savepoint": {
			startedFrom, []func(*v1beta1.JobStatus){savepoint},
			"The newest savepoint that is known is " + saved + ".",
		},
		"a checkpoint whose path is not known": {
			startedFrom, []func(*v1beta1.JobStatus){savepoint, known("")},
			"The newest savepoint that is known is " + saved + ".",
		},
		"a checkpoint of the job before it": {
			startedFrom, []func(*v1beta1.JobStatus){known(checkpoint), func(s *v1beta1.JobStatus) {
				s.Checkpoint.JobID = strings.Repeat("0", 32)
			}},
			"No checkpoint of it is known; it was started from " + started + ".",
		},
		"what it was started from": {
			startedFrom, nil, "No checkpoint of it is known; it was started from " + started + ".",
		},
		"none": {empty, nil, "No checkpoint of it is known."},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			row.begin(w)
			w.UntilSteady()
			for _, record := range row.records {
				record(&w.Snapshot.Resource.Status.JobStatus)
			}
			w.Jobs = nil
			w.Sleep(time.Minute)
			w.Run()
			w.Want(plan.StateLost, v1beta1.LifecycleDeployed, v1beta1.FlinkJobReconciling)
			want := "Manual restore required. " + row.want + " "
			if told := w.Condition("Stalled"); !strings.HasPrefix(told, "SessionClusterLost: ") ||
				!strings.Contains(told, want) || !strings.Contains(told, "kubectl patch flinksessionjob etl") {
				t.Errorf("Stalled says %q, want %q", told, want)
			}
			if !strings.Contains(w.Status().Error, want[:len(want)-1]) {
				t.Errorf("the error is %q, want %q", w.Status().Error, want)
			}
		})
	}
}

// A stop writes its savepoint to where the newer spec has them, else to where the job that runs has them. A person who
// has to find it is told.
func TestALostStopNamesWhereItsSavepointMayBe(t *testing.T) {
	rows := map[string]struct{ newer, want string }{
		"another directory": {`{"execution.checkpointing.savepoint-dir":"file:///other"}`, "file:///other"},
		"none any more":     {`{"taskmanager.numberOfTaskSlots":"4"}`, "file:///mine"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.Edit(enginetest.HostedOptions(`{"execution.checkpointing.savepoint-dir":"file:///mine"}`))
			w.UntilSteady()
			w.Saves = false
			w.Edit(enginetest.HostedOptions(row.newer))
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.Run()
			w.Jobs = nil
			w.Sleep(time.Minute)
			w.Run()
			want := "it is the newest " + row.want + "/savepoint-" + w.Status().Intent.Stops.JobID[:6] + "-*; else"
			if told := w.Condition("Stalled"); !strings.Contains(told, want) {
				t.Errorf("told %q, want %q", told, want)
			}
		})
	}
}
