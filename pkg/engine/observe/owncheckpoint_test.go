package observe_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// A checkpoint of the job that runs is no state to redeploy from where Flink deletes it on the way: the job would be
// gone, and so would that checkpoint.
func TestNoRedeployFromADyingCheckpoint(t *testing.T) {
	kept := plan.Present(upgrade.Retention{Cancelled: true, Failed: true, Periodic: true})
	deleted := plan.Present(upgrade.Retention{Failed: true, Periodic: true})
	unknown := plan.Unknown[upgrade.Retention]("no answer")
	running, failed := v1beta1.FlinkJobRunning, v1beta1.FlinkJobFailed
	const own = "file:///c/JOB/chk-7"
	retainsTwo := func(w *enginetest.Deployment) {
		const two = `"state.checkpoints.num-retained":"2",`
		*w = *enginetest.Stable(t, enginetest.With(enginetest.Stateful, `"state.savepoints.dir"`,
			two+`"state.savepoints.dir"`))
	}
	shares := func(spelling string) func(w *enginetest.Deployment) {
		return func(w *enginetest.Deployment) {
			*w = *enginetest.Stable(t, enginetest.With(enginetest.Given(enginetest.Stateful), `"state.savepoints.dir"`,
				`"`+spelling+`":"false","state.savepoints.dir"`))
		}
	}
	rows := map[string]struct {
		path      string
		state     v1beta1.FlinkJobState
		retention plan.Observed[upgrade.Retention]
		more      func(w *enginetest.Deployment)
		want      string // the reason that is shown; empty: the redeploy begins
		reason    string
	}{
		"it goes with the job":  {own, running, deleted, nil, "CheckpointsNotRetained", "nothing would be left"},
		"its metadata is named": {own + "/_metadata", running, deleted, nil, "CheckpointsNotRetained", "the same"},
		"a directory is named":  {own + "/", running, deleted, nil, "CheckpointsNotRetained", "the same"},
		"the job restarts": {
			own, v1beta1.FlinkJobRestarting, deleted, nil, "CheckpointsNotRetained", "the same",
		},
		"it is kept":                 {own, running, kept, nil, "", "the successor finds it"},
		"a newer one took its place": {"file:///c/JOB/chk-6", running, kept, nil, "CheckpointsNotRetained", "it is gone"},
		"more than one is kept":      {"file:///c/JOB/chk-6", running, kept, retainsTwo, "", "it is there still"},
		"nobody knows whether it is": {own, running, unknown, nil, "CheckpointRetentionUnknown", "it is asked again"},
		"the job has ended":          {own, failed, kept, nil, "", "what is there now stays"},
		"a savepoint": {
			"file:///s/savepoint-1", running, deleted, nil, "", "it is nobody's but its owner's",
		},
		"a checkpoint of another job": {"file:///c/ff/chk-7", running, deleted, nil, "", "that job does not run"},
		"a copy":                      {"file:///copy/chk-7", running, deleted, nil, "", "Flink knows nothing of it"},
		"all jobs share a directory": {
			"file:///c/chk-7", running, deleted, shares("execution.checkpointing.create-subdir"), "CheckpointsNotRetained",
			"it may be its own",
		},
		"the option's older name": {
			"file:/c/chk-7/", running, deleted, shares("state.checkpoints.create-subdir"), "CheckpointsNotRetained", "the same",
		},
		"another directory": {
			"file:///copy/chk-7", running, deleted, shares("execution.checkpointing.create-subdir"), "", "it is not its own",
		},
		"what the job was given": {
			"file:///given", running, deleted, shares("execution.checkpointing.create-subdir"), "", "Flink does not own it",
		},
		"of the run before this one": {own, running, deleted, func(w *enginetest.Deployment) {
			w.Snapshot.Resource.Status.LostProgress = &v1beta1.LostProgress{Generation: 1}
		}, "", "a person chooses what the job had before it began again"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			if row.more != nil {
				row.more(w)
			}
			jobID := w.Status().JobStatus.JobID
			w.ServeJob(row.state)
			w.Snapshot.Flink.Retention = row.retention
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{
				Path: "file:/c/" + jobID + "/chk-7", Kind: world.KindCheckpoint, Completed: w.Snapshot.Now,
			})
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
				nonce := int64(1)
				s.Job.SavepointRedeployNonce, s.Job.InitialSavepointPath = &nonce, strings.Replace(row.path, "JOB", jobID, 1)
			})
			if !row.state.IsTerminal() && !deployment.Open(w.Snapshot).Flink().Retention {
				t.Error("nobody asks whether it is kept")
			}
			w.Run()
			shown := w.Condition(summary.Stalled)
			if row.want == "CheckpointRetentionUnknown" {
				shown = w.Condition(summary.Reconciling)
			}
			if begun := w.Status().Intent != nil; begun != (row.want == "") || (!begun && shown.Reason != row.want) {
				t.Errorf("begun %t, shown %+v, want %q: %s; rounds %q", begun, shown, row.want, row.reason, w.Log)
			}
		})
	}
}
