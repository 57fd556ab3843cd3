package record

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// recorded is what status says of a job, as users see it.
type recorded struct {
	State      v1beta1.ReconciliationState
	JobManager v1beta1.JobManagerDeploymentStatus
	Job        v1beta1.FlinkJobState
	JobID      string
	Path       string
	Running    v1beta1.JobState    // of the recorded spec
	Mode       v1beta1.UpgradeMode // of the recorded spec
	Image      string              // of the recorded spec
	Stable     bool
	Open       bool
}

func recordedBy(v *world.Look) recorded {
	r := v.Want.ReconciliationStatus
	got := recorded{
		State: r.State, JobManager: v.Want.JobManagerDeploymentStatus, Job: v.Want.JobStatus.State,
		JobID: v.Want.JobStatus.JobID, Path: v.Want.JobStatus.UpgradeSavepointPath,
		Stable: r.LastStableSpec != "" && r.LastStableSpec == r.LastReconciledSpec, Open: v.Want.Intent != nil,
	}
	if v.Last != nil {
		got.Image = v.Last.Spec.Image
		if job := v.Last.Spec.Job; job != nil {
			got.Running, got.Mode = job.State, job.UpgradeMode
		}
	}
	return got
}

// runs is a job that runs by the spec of image "old", which is stable; its resource asks for "new".
func runs(t *testing.T, then func(s *world.Seen)) *world.Look {
	t.Helper()
	return guesttest.NewLife(t, func(s *world.Seen) {
		s.Resource.Spec.Image = "old"
		guesttest.Deployed(t, s)
		s.Resource.Generation, s.Resource.Spec.Image = 2, "new"
		s.Resource.Status.JobStatus.State = v1beta1.FlinkJobRunning
		s.Resource.Status.JobManagerDeploymentStatus = v1beta1.JobManagerReady
		then(s)
	})
}

// While a job is being stopped, what is recorded is what its successor needs.
func TestWhatAStopRecords(t *testing.T) {
	const savepoint, lastState = v1beta1.UpgradeModeSavepoint, v1beta1.UpgradeModeLastState
	base := recorded{
		State: v1beta1.ReconciliationUpgrading, JobManager: v1beta1.JobManagerReady, Job: v1beta1.FlinkJobRunning,
		JobID: "a", Running: v1beta1.JobStateRunning, Mode: savepoint, Image: "old", Stable: true, Open: true,
	}
	change := func(f func(r *recorded)) recorded { r := base; f(&r); return r }
	rows := map[string]struct {
		purpose v1beta1.IntentPurpose
		how     v1beta1.StopKind
		restore v1beta1.UpgradeMode
		then    func(s *world.Seen)
		want    recorded
	}{
		"with a savepoint: nothing before its end is recorded": {
			purpose: v1beta1.PurposeUpgrade, how: v1beta1.StopSavepoint, restore: savepoint, want: base,
		},
		"by a cancellation": {
			purpose: v1beta1.PurposeUpgrade, how: v1beta1.StopCancel, restore: savepoint,
			want: change(func(r *recorded) { r.Job = v1beta1.FlinkJobCancelling }),
		},
		"by last state": {
			purpose: v1beta1.PurposeUpgrade, how: v1beta1.StopLastState, restore: lastState,
			want: change(func(r *recorded) { r.Mode, r.Stable = lastState, false }),
		},
		"without its state": {
			purpose: v1beta1.PurposeUpgrade, how: v1beta1.StopStateless, restore: v1beta1.UpgradeModeStateless,
			want: change(func(r *recorded) {
				r.Job, r.Mode, r.Stable = v1beta1.FlinkJobCancelling, v1beta1.UpgradeModeStateless, false
			}),
		},
		"of a job that has ended": {
			purpose: v1beta1.PurposeUpgrade, how: v1beta1.StopCancel, restore: savepoint,
			then: func(s *world.Seen) { s.Resource.Status.JobStatus.State = v1beta1.FlinkJobFailed },
			want: change(func(r *recorded) { r.Job = v1beta1.FlinkJobFailed }),
		},
		"for a rollback": {
			purpose: v1beta1.PurposeRollback, how: v1beta1.StopSavepoint, restore: savepoint,
			want: change(func(r *recorded) { r.State = v1beta1.ReconciliationRollingBack }),
		},
		"for a deletion": {
			purpose: v1beta1.PurposeDelete, how: v1beta1.StopStateless,
			want: change(func(r *recorded) { r.State, r.Job = v1beta1.ReconciliationDeployed, v1beta1.FlinkJobCancelling }),
		},
		"for a recovery": {
			purpose: v1beta1.PurposeRecover, how: v1beta1.StopNone,
			want: change(func(r *recorded) { r.State = v1beta1.ReconciliationDeployed }),
		},
		"after a rollback: what runs is recorded": {
			purpose: v1beta1.PurposeUpgrade, how: v1beta1.StopSavepoint, restore: savepoint,
			then: func(s *world.Seen) {
				s.Resource.Spec.Image = "failed"
				stable := s.Resource.Status.ReconciliationStatus.LastStableSpec
				guesttest.Deployed(t, s)
				s.Resource.Status.ReconciliationStatus.LastStableSpec = stable
				s.Resource.Status.ReconciliationStatus.State = v1beta1.ReconciliationRolledBack
			},
			want: base,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := runs(t, func(s *world.Seen) {
				s.Resource.Status.Intent = &v1beta1.Intent{
					Step: v1beta1.StepStopping, Purpose: row.purpose, Stop: row.how, Restore: row.restore,
				}
				if row.then != nil {
					row.then(s)
				}
			})
			Stopping(v, row.purpose, row.how)
			if diff := cmp.Diff(row.want, recordedBy(v)); diff != "" {
				t.Errorf("status says (-want +got):\n%s", diff)
			}
		})
	}
}

// A stop by last state remembers when that state was taken.
func TestWhenALastStateWasTaken(t *testing.T) {
	completed := guesttest.Noon.Add(-time.Minute)
	v := runs(t, func(s *world.Seen) {
		s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping}
		s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "s3://c/a/chk-1", Completed: completed})
	})
	Stopping(v, v1beta1.PurposeUpgrade, v1beta1.StopLastState)
	if at := v.Want.JobStatus.StateTaken; at == nil || !at.Time.Equal(completed) {
		t.Errorf("it was taken at %v, want %s", at, completed)
	}
}

// A start is recorded as suspended until it is released, so that a crash between the two starts nothing twice.
func TestWhatAStartRecords(t *testing.T) {
	const upgrade = v1beta1.PurposeUpgrade
	from := v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://s/1"}
	starts := recorded{
		State: v1beta1.ReconciliationUpgrading, JobManager: v1beta1.JobManagerMissing, Job: v1beta1.FlinkJobReconciling,
		JobID: "b", Path: "s3://s/1", Running: v1beta1.JobStateSuspended, Mode: v1beta1.UpgradeModeSavepoint,
		Image: "new", Open: true,
	}
	change := func(r recorded, f func(r *recorded)) recorded { f(&r); return r }
	released := change(starts, func(r *recorded) {
		r.State, r.JobManager, r.Running = v1beta1.ReconciliationDeployed, v1beta1.JobManagerDeploying,
			v1beta1.JobStateRunning
	})
	rows := map[string]struct {
		purpose          v1beta1.IntentPurpose
		from             v1beta1.StartPoint
		starts, released recorded
	}{
		"an upgrade": {purpose: upgrade, from: from, starts: starts, released: released},
		"from last state": {
			purpose: upgrade, from: v1beta1.StartPoint{Kind: v1beta1.StartLastState},
			starts:   change(starts, func(r *recorded) { r.Path, r.Mode = "", v1beta1.UpgradeModeLastState }),
			released: change(released, func(r *recorded) { r.Path, r.Mode = "", v1beta1.UpgradeModeLastState }),
		},
		"from nothing": {
			purpose: upgrade, from: v1beta1.StartPoint{Kind: v1beta1.StartEmpty},
			starts:   change(starts, func(r *recorded) { r.Path, r.Mode = "", v1beta1.UpgradeModeStateless }),
			released: change(released, func(r *recorded) { r.Path, r.Mode = "", v1beta1.UpgradeModeStateless }),
		},
		"a state that was chosen: it counts as stable": {
			purpose: v1beta1.PurposeRedeploy, from: from, starts: starts,
			released: change(released, func(r *recorded) { r.Stable = true }),
		},
		"a rollback: the spec that failed stays recorded": {
			purpose: v1beta1.PurposeRollback, from: from,
			starts: change(starts, func(r *recorded) {
				r.State, r.Image, r.Running = v1beta1.ReconciliationRollingBack, "old", v1beta1.JobStateRunning
				r.Stable = true
			}),
			released: change(released, func(r *recorded) {
				r.State, r.Image, r.Stable = v1beta1.ReconciliationRolledBack, "old", true
			}),
		},
		"a recovery: it changes no spec": {
			purpose: v1beta1.PurposeRecover, from: from,
			starts: change(starts, func(r *recorded) {
				r.State, r.Image, r.Running = v1beta1.ReconciliationDeployed, "old", v1beta1.JobStateRunning
				r.Stable = true
			}),
			released: change(released, func(r *recorded) { r.Image, r.Stable = "old", true }),
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := runs(t, func(s *world.Seen) { s.Resource.Status.Error = "an error before" })
			v.Want.Intent = &v1beta1.Intent{
				Purpose: row.purpose, Step: v1beta1.StepStarting, JobID: "b", From: &row.from, Generation: 2,
				OperationID: "op", Options: map[string]string{"a": "b"},
				Release: &v1beta1.Release{DeploymentUID: "jm"},
			}
			Starting(v, v.Want.Intent, v.Spec)
			if diff := cmp.Diff(row.starts, recordedBy(v)); diff != "" {
				t.Errorf("as it begins (-want +got):\n%s", diff)
			}
			if v.Want.Error != "" {
				t.Errorf("the error before is still shown: %s", v.Want.Error)
			}
			Released(v, v.Spec)
			if diff := cmp.Diff(row.released, recordedBy(v)); diff != "" {
				t.Errorf("once it is released (-want +got):\n%s", diff)
			}
			want := &v1beta1.Deployed{
				OperationID: "op", JobID: "b", DeploymentUID: "jm", FlinkVersion: v.Spec.FlinkVersion,
				Options: map[string]string{"a": "b"},
			}
			if diff := cmp.Diff(want, v.Want.Deployed); diff != "" {
				t.Errorf("status.deployed (-want +got):\n%s", diff)
			}
		})
	}
}

// A job that starts from nothing supersedes the savepoint of the job before it, and a job under another ID forgets the
// stop that was given up.
func TestWhatAnotherJobForgets(t *testing.T) {
	v := runs(t, func(s *world.Seen) {
		status := &s.Resource.Status
		status.GivenUpStop = &v1beta1.GivenUpStop{JobID: "a"}
		status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a"}
		status.JobStatus.SavepointInfo = &v1beta1.SavepointInfo{LastSavepoint: &v1beta1.Savepoint{Location: "s3://s/1"}}
	})
	v.Want.Intent = &v1beta1.Intent{
		Purpose: v1beta1.PurposeUpgrade, JobID: "b", From: &v1beta1.StartPoint{Kind: v1beta1.StartEmpty},
	}
	Starting(v, v.Want.Intent, v.Spec)
	if got := v.Want.JobStatus.SupersededSavepoint; got != "s3://s/1" {
		t.Errorf("the savepoint %q is superseded, want s3://s/1", got)
	}
	if v.Want.GivenUpStop != nil || v.Want.JobStatus.Checkpoint != nil {
		t.Errorf("stop %+v, checkpoint %+v; want neither", v.Want.GivenUpStop, v.Want.JobStatus.Checkpoint)
	}
}

// A suspension is recorded as stable, FINISHED, with the state that the resumption starts from.
func TestWhatASuspensionRecords(t *testing.T) {
	v := runs(t, func(s *world.Seen) {
		s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeSuspend, Generation: 2}
		s.Resource.Status.Error = "an error before"
	})
	v.Want.JobStatus.UpgradeSavepointPath = "s3://s/1"
	Suspended(v, v.Spec, v1beta1.UpgradeModeSavepoint)
	want := recorded{
		State: v1beta1.ReconciliationDeployed, JobManager: v1beta1.JobManagerMissing, Job: v1beta1.FlinkJobFinished,
		JobID: "a", Path: "s3://s/1", Running: v1beta1.JobStateSuspended, Mode: v1beta1.UpgradeModeSavepoint,
		Image: "new", Stable: true,
	}
	if diff := cmp.Diff(want, recordedBy(v)); diff != "" {
		t.Errorf("status says (-want +got):\n%s", diff)
	}
	if v.Want.Error != "" || v.Deployed != 2 {
		t.Errorf("error %q, deployed generation %d; want none and 2", v.Want.Error, v.Deployed)
	}

	v = runs(t, func(s *world.Seen) {
		s.Resource.Status.Intent = &v1beta1.Intent{
			Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeRedeploy, Generation: 2,
			From: &v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://chosen"},
		}
	})
	Suspended(v, v.Spec, v1beta1.UpgradeModeStateless)
	if got := recordedBy(v); got.Path != "s3://chosen" || got.Mode != v1beta1.UpgradeModeSavepoint {
		t.Errorf("the resumption is from %q by %s, want the chosen state", got.Path, got.Mode)
	}
}

// A stop that came to nothing is tried again later; the stop of a job with savepoint may still come through.
func TestAnAttemptThatFailed(t *testing.T) {
	recent, old := metav1.NewTime(guesttest.Noon.Add(-time.Minute)), metav1.NewTime(guesttest.Noon.Add(-2*time.Hour))
	rows := map[string]struct {
		how   v1beta1.StopKind
		given *v1beta1.GivenUpStop
		want  *v1beta1.GivenUpStop
	}{
		"by a savepoint": {
			how:  v1beta1.StopSavepoint,
			want: &v1beta1.GivenUpStop{JobID: "a", TriggerID: "2", At: metav1.NewTime(guesttest.Noon)},
		},
		"by a savepoint, once more": {
			how: v1beta1.StopSavepoint, given: &v1beta1.GivenUpStop{JobID: "a", TriggerID: "1", At: recent},
			want: &v1beta1.GivenUpStop{
				JobID: "a", TriggerID: "2", At: metav1.NewTime(guesttest.Noon), Earlier: []string{"1"},
			},
		},
		"by a savepoint, long after another": {
			how: v1beta1.StopSavepoint, given: &v1beta1.GivenUpStop{JobID: "a", TriggerID: "1", At: old},
			want: &v1beta1.GivenUpStop{JobID: "a", TriggerID: "2", At: metav1.NewTime(guesttest.Noon)},
		},
		"by a savepoint, after that of another job": {
			how: v1beta1.StopSavepoint, given: &v1beta1.GivenUpStop{JobID: "b", TriggerID: "1", At: recent},
			want: &v1beta1.GivenUpStop{JobID: "a", TriggerID: "2", At: metav1.NewTime(guesttest.Noon)},
		},
		"by a cancellation": {how: v1beta1.StopCancel},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := runs(t, func(s *world.Seen) {
				s.Resource.Status.GivenUpStop = row.given
				s.Resource.Status.Intent = &v1beta1.Intent{
					Step: v1beta1.StepStopping, Stop: row.how, TriggerID: "2", Generation: 2,
					Stops: &v1beta1.Incarnation{JobID: "a"},
				}
			})
			next := AttemptFailed(v, "SavepointFailed", "no space")
			if got := v.Want.Retry; got == nil || got.Reason != "SavepointFailed" || got.Message != "no space" ||
				got.Attempts != 1 || got.Generation != 2 {
				t.Errorf("it is tried again: %+v, want the first attempt of generation 2, SavepointFailed", got)
			}
			if !next.After(guesttest.Noon) {
				t.Errorf("the next attempt is at %s, want later than the look", next)
			}
			if diff := cmp.Diff(row.want, v.Want.GivenUpStop); diff != "" {
				t.Errorf("the stop that was given up (-want +got):\n%s", diff)
			}
			if got := recordedBy(v); got.Open || got.State != v1beta1.ReconciliationDeployed {
				t.Errorf("an operation is open: %t, state %s", got.Open, got.State)
			}
		})
	}
}

// A first start that was never released leaves nothing behind.
func TestWhatWasNeverDeployed(t *testing.T) {
	v := runs(t, func(s *world.Seen) { s.Resource.Status.Intent = &v1beta1.Intent{Purpose: v1beta1.PurposeDeploy} })
	NeverDeployed(v)
	want := recorded{State: v1beta1.ReconciliationUpgrading, JobManager: v1beta1.JobManagerMissing}
	if diff := cmp.Diff(want, recordedBy(v)); diff != "" {
		t.Errorf("status says (-want +got):\n%s", diff)
	}
}

// What runs of another operator is named once, with its JobManager, and not while anything is under way.
func TestWhatRunsIsNamed(t *testing.T) {
	seen := func(s *world.Seen) { s.Deployed = plan.Absent[flinkconf.Config]() }
	rows := map[string]struct {
		then func(s *world.Seen)
		want string // the operation that is named
	}{
		"it is not named yet": {then: seen, want: "op"},
		"it is named": {then: func(s *world.Seen) {
			seen(s)
			s.Resource.Status.Deployed = &v1beta1.Deployed{OperationID: "before"}
		}, want: "before"},
		"a stop is under way": {then: func(s *world.Seen) {
			seen(s)
			s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping}
		}},
		"its configuration was not read": {then: func(*world.Seen) {}},
		"nothing was deployed":           {then: func(s *world.Seen) { seen(s); guesttest.NeverDeployed(s) }},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := runs(t, row.then)
			NameDeployed(v, "op")
			got := ""
			if v.Want.Deployed != nil {
				got = v.Want.Deployed.OperationID
			}
			if got != row.want {
				t.Errorf("status names the operation %q, want %q", got, row.want)
			}
			if row.want == "op" && (v.Want.Deployed.DeploymentUID != "uid-of-session" || v.Want.Deployed.JobID != "a") {
				t.Errorf("status names %+v, want the JobManager that is there", v.Want.Deployed)
			}
		})
	}
}

// A timeout that the code of the job sets is remembered until it is not set any more.
func TestHowLongACheckpointMayTakeIsRemembered(t *testing.T) {
	v := runs(t, func(*world.Seen) {})
	if CheckpointTimeout(v, time.Hour); v.CheckpointTimeout() != time.Hour {
		t.Errorf("it may take %s, want an hour", v.CheckpointTimeout())
	}
	if CheckpointTimeout(v, 0); v.Want.JobStatus.CheckpointTimeout != nil {
		t.Errorf("it is still remembered: %s", v.Want.JobStatus.CheckpointTimeout)
	}
}

// A nonce of a snapshot is recorded, and what was stable stays so.
func TestAHandledNonceKeepsWhatIsStable(t *testing.T) {
	two := int64(2)
	v := runs(t, func(*world.Seen) {})
	SnapshotHandled(v, snapshots.Checkpoint, &two)
	if got := v.Last.Spec.Job.CheckpointTriggerNonce; got == nil || *got != 2 || !recordedBy(v).Stable {
		t.Errorf("nonce %v, stable %t; want 2 and stable", got, recordedBy(v).Stable)
	}
}
