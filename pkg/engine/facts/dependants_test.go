package facts

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What depends on a job looks again when the job moved: it is another one, runs or no longer runs, or has ended.
func TestWhenAJobHasMoved(t *testing.T) {
	at := func(id string, state v1beta1.FlinkJobState) *v1beta1.JobStatus {
		return &v1beta1.JobStatus{JobID: id, State: state}
	}
	rows := map[string]struct {
		was    *v1beta1.JobStatus
		is     *v1beta1.JobStatus
		finish []plan.Action
		want   bool
	}{
		"it is as before":  {was: at("a", v1beta1.FlinkJobRunning), is: at("a", v1beta1.FlinkJobRunning)},
		"the status stays": {was: at("a", v1beta1.FlinkJobRunning)},
		"it runs":          {was: at("a", v1beta1.FlinkJobCreated), is: at("a", v1beta1.FlinkJobRunning), want: true},
		"it runs no longer": {
			was: at("a", v1beta1.FlinkJobRunning), is: at("a", v1beta1.FlinkJobRestarting), want: true,
		},
		"it has ended":           {was: at("a", v1beta1.FlinkJobFailing), is: at("a", v1beta1.FlinkJobFailed), want: true},
		"it waits for something": {was: at("a", v1beta1.FlinkJobCreated), is: at("a", v1beta1.FlinkJobReconciling)},
		"it is another":          {was: at("a", v1beta1.FlinkJobCreated), is: at("b", v1beta1.FlinkJobCreated), want: true},
		"the resource is let go": {
			was: at("a", v1beta1.FlinkJobRunning), finish: []plan.Action{plan.RemoveFinalizer{}}, want: true,
		},
		"something else finishes": {was: at("a", v1beta1.FlinkJobRunning), finish: []plan.Action{plan.WakeClock{}}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := Moves(*row.was, row.is, plan.Plan{Finish: row.finish}); got != row.want {
				t.Errorf("it moved: %t, want %t", got, row.want)
			}
		})
	}
}

// The snapshots of the job that are neither complete nor given up depend on it.
func TestWhichSnapshotsDependOnAJob(t *testing.T) {
	of := func(name, job string, state v1beta1.SnapshotState) v1beta1.FlinkStateSnapshot {
		s := v1beta1.FlinkStateSnapshot{}
		s.Namespace, s.Name, s.Status.State = "default", name, state
		s.Spec.JobReference = &v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: job}
		return s
	}
	v := guesttest.NewLife(t, func(s *world.Seen) {
		s.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{
			of("waits", "demo", v1beta1.SnapshotTriggerPending), of("complete", "demo", v1beta1.SnapshotCompleted),
			of("runs", "demo", v1beta1.SnapshotInProgress), of("another's", "other", v1beta1.SnapshotInProgress),
		})
	})
	var got []string
	for _, d := range SnapshotDependants(v) {
		if got = append(got, d.Name); d.Kind != v1beta1.KindFlinkStateSnapshot {
			t.Errorf("%s is a %s, want a FlinkStateSnapshot", d.Name, d.Kind)
		}
	}
	if diff := cmp.Diff([]string{"runs", "waits"}, slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("dependants (-want +got):\n%s", diff)
	}
}

// A savepoint that a user asked for keeps a change waiting while the job may be writing it.
func TestWhichSavepointKeepsAChangeWaiting(t *testing.T) {
	id := "trigger"
	rows := map[string]struct {
		trigger *string
		state   v1beta1.FlinkJobState
		ignores bool
		want    bool
	}{
		"it is being written":         {trigger: &id, state: v1beta1.FlinkJobRunning, want: true},
		"none was asked for":          {state: v1beta1.FlinkJobRunning},
		"the job has failed":          {trigger: &id, state: v1beta1.FlinkJobFailed},
		"the option says not to wait": {trigger: &id, state: v1beta1.FlinkJobRunning, ignores: true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				options := `"kubernetes.operator.job.upgrade.ignore-pending-savepoint":"` + strconv.FormatBool(row.ignores) + `"`
				guesttest.Optioned(t, s, options, options)
				s.Resource.Status.JobStatus.State = row.state
				s.Resource.Status.JobStatus.SavepointInfo = &v1beta1.SavepointInfo{TriggerID: row.trigger}
			})
			if got := SavepointPending(v); got != row.want {
				t.Errorf("it waits: %t, want %t", got, row.want)
			}
		})
	}
}

// Snapshots are wanted by a nonce that is not recorded yet, or by a period.
func TestWhichSpecWantsSnapshots(t *testing.T) {
	one, two := int64(1), int64(2)
	rows := map[string]struct {
		savepoint, checkpoint *int64
		options               string
		session               bool
		want                  bool
	}{
		"nothing asks for one":    {},
		"the recorded nonce":      {savepoint: &one, checkpoint: &one},
		"another savepoint":       {savepoint: &two, checkpoint: &one, want: true},
		"another checkpoint":      {savepoint: &one, checkpoint: &two, want: true},
		"a period of savepoints":  {options: `"kubernetes.operator.periodic.savepoint.interval":"1 h"`, want: true},
		"a period of checkpoints": {options: `"kubernetes.operator.periodic.checkpoint.interval":"1 h"`, want: true},
		"a session cluster":       {savepoint: &two, session: true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				job := s.Resource.Spec.Job
				job.SavepointTriggerNonce, job.CheckpointTriggerNonce = &one, &one
				guesttest.Optioned(t, s, row.options, row.options)
				job.SavepointTriggerNonce, job.CheckpointTriggerNonce = row.savepoint, row.checkpoint
				if row.session {
					guesttest.SessionDeployed(t)(s)
				}
			})
			if got := SnapshotsWanted(v); got != row.want {
				t.Errorf("wanted: %t, want %t", got, row.want)
			}
		})
	}
}
