package facts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
)

// How a job is to be stopped is decided by what it needs, how it was started, and whether it ever ran.
func TestWhatAnUpgradeIsDecidedBy(t *testing.T) {
	const stateless, savepoint = v1beta1.UpgradeModeStateless, v1beta1.UpgradeModeSavepoint
	type decidedBy struct {
		Wanted, RecordedMode v1beta1.UpgradeMode
		Recorded             string
		VersionChanged       bool
		SavepointDir         bool
		NeverStarted         bool
		SilentNode           string
		Unread               bool
	}
	rows := map[string]struct {
		at      place
		then    func(s *world.Seen)
		purpose v1beta1.IntentPurpose
		problem string
		want    decidedBy
	}{
		"a job with its state": {
			then: func(*world.Seen) {}, purpose: v1beta1.PurposeUpgrade,
			want: decidedBy{Wanted: savepoint, RecordedMode: savepoint},
		},
		"a job that needs none": {
			then:    func(s *world.Seen) { s.Resource.Spec.Job.UpgradeMode = stateless },
			purpose: v1beta1.PurposeUpgrade, want: decidedBy{Wanted: stateless, RecordedMode: savepoint},
		},
		"a state that was chosen": {
			then: func(*world.Seen) {}, purpose: v1beta1.PurposeRedeploy,
			want: decidedBy{Wanted: stateless, RecordedMode: savepoint},
		},
		"another version of Flink": {
			then:    func(s *world.Seen) { s.Resource.Spec.FlinkVersion = v1beta1.FlinkV1_19 },
			purpose: v1beta1.PurposeUpgrade,
			want:    decidedBy{Wanted: savepoint, RecordedMode: savepoint, VersionChanged: true},
		},
		"a place for savepoints": {
			then: func(s *world.Seen) {
				s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"state.savepoints.dir":"file:///s"}`)
			},
			purpose: v1beta1.PurposeUpgrade,
			want:    decidedBy{Wanted: savepoint, RecordedMode: savepoint, SavepointDir: true},
		},
		"a start from a path that never ran": {
			at: place{neverRan: true}, purpose: v1beta1.PurposeUpgrade,
			then: func(s *world.Seen) { s.Resource.Status.JobStatus.UpgradeSavepointPath = "s3://a" },
			want: decidedBy{Wanted: savepoint, RecordedMode: savepoint, Recorded: "s3://a", NeverStarted: true},
		},
		"a start from a path on a node that does not answer": {
			at: place{silent: "node-1"}, purpose: v1beta1.PurposeUpgrade,
			then: func(s *world.Seen) { s.Resource.Status.JobStatus.UpgradeSavepointPath = "s3://a" },
			want: decidedBy{Wanted: savepoint, RecordedMode: savepoint, Recorded: "s3://a", SilentNode: "node-1"},
		},
		"a start from a path that has run": {
			at: place{silent: "node-1", neverRan: true}, purpose: v1beta1.PurposeUpgrade,
			then: func(s *world.Seen) {
				s.Resource.Status.JobStatus.UpgradeSavepointPath, s.Resource.Status.JobStatus.StartTime = "s3://a", "5"
			},
			want: decidedBy{Wanted: savepoint, RecordedMode: savepoint, Recorded: "s3://a"},
		},
		"an end whose state is not read yet": {
			then:    func(s *world.Seen) { s.Resource.Status.JobStatus.LastStateUnread = true },
			purpose: v1beta1.PurposeUpgrade, want: decidedBy{Wanted: savepoint, RecordedMode: savepoint, Unread: true},
		},
		"an invalid spec that wants its state kept": {
			then: func(s *world.Seen) {
				s.Resource.Spec.Job.UpgradeMode = stateless
				guesttest.Deployed(t, s)
				s.Resource.Spec.Job.UpgradeMode = savepoint
			},
			purpose: v1beta1.PurposeUpgrade, problem: "no",
			want: decidedBy{Wanted: savepoint, RecordedMode: stateless},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := lifeAt(t, row.at, row.then)
			if v.Problem = row.problem; row.problem != "" {
				v.Spec = v.Last.Spec
			}
			f := ForUpgrade(v, row.purpose)
			got := decidedBy{
				Wanted: f.Wanted, RecordedMode: f.RecordedMode, Recorded: f.Recorded, VersionChanged: f.VersionChanged,
				SavepointDir: f.Options.SavepointDir, NeverStarted: f.NeverStarted, SilentNode: f.SilentNode,
				Unread: f.Unread,
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("it is decided by (-want +got):\n%s", diff)
			}
		})
	}
}

// What a start begins from is chosen by the newest state that is known of the job, and of no job before it.
func TestWhatAStartIsChosenBy(t *testing.T) {
	type chosenBy struct {
		Recorded, LegacySavepoint, NewestKnown, Initial string
		Nonce                                           int64
		Completed, NoState                              bool
	}
	nonce := int64(7)
	savepoint := func(s *world.Seen) {
		s.Resource.Status.JobStatus.SavepointInfo = &v1beta1.SavepointInfo{
			LastSavepoint: &v1beta1.Savepoint{Location: "s3://last"},
		}
	}
	rows := map[string]struct {
		at   place
		then func(s *world.Seen)
		want chosenBy
	}{
		"nothing is known": {then: func(*world.Seen) {}, want: chosenBy{}},
		"a path is recorded": {
			then: func(s *world.Seen) { s.Resource.Status.JobStatus.UpgradeSavepointPath = "s3://a" },
			want: chosenBy{Recorded: "s3://a"},
		},
		"its end is not read yet": {
			then: func(s *world.Seen) {
				s.Resource.Status.JobStatus.UpgradeSavepointPath = "s3://a"
				s.Resource.Status.JobStatus.LastStateUnread = true
			},
			want: chosenBy{Recorded: v1beta1.LastStatePlaceholder},
		},
		"a checkpoint of the job is known": {
			then: func(s *world.Seen) {
				s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a", Path: "s3://chk-1"}
				s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			},
			want: chosenBy{Completed: true, NewestKnown: "s3://chk-1"},
		},
		"a checkpoint of another job is known": {
			then: func(s *world.Seen) {
				s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "b", Path: "s3://chk-1"}
			},
			want: chosenBy{},
		},
		"it never completed one": {
			then: func(s *world.Seen) { s.Flink.Checkpoints = plan.Absent[world.Checkpoints]() },
			want: chosenBy{NoState: true},
		},
		"it has finished": {
			then: func(s *world.Seen) { s.Resource.Status.JobStatus.State = v1beta1.FlinkJobFinished },
			want: chosenBy{NoState: true},
		},
		"a savepoint of it is known": {then: savepoint, want: chosenBy{LegacySavepoint: "s3://last"}},
		"a savepoint of a job before it is known": {
			then: func(s *world.Seen) {
				savepoint(s)
				s.Resource.Status.JobStatus.SupersededSavepoint = "s3://last"
			},
			want: chosenBy{},
		},
		"it began empty, and never ran": {
			at: place{neverRan: true},
			then: func(s *world.Seen) {
				savepoint(s)
				s.Resource.Spec.Job.UpgradeMode = v1beta1.UpgradeModeStateless
				guesttest.Deployed(t, s)
			},
			want: chosenBy{NoState: true},
		},
		"the spec names one": {
			then: func(s *world.Seen) {
				s.Resource.Spec.Job.InitialSavepointPath = "s3://given"
				s.Resource.Spec.Job.SavepointRedeployNonce = &nonce
			},
			want: chosenBy{Initial: "s3://given", Nonce: 7},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := lifeAt(t, row.at, row.then)
			f := ForRestore(v, v1beta1.PurposeUpgrade, v.Spec, v1beta1.UpgradeModeSavepoint)
			got := chosenBy{
				Recorded: f.Recorded, LegacySavepoint: f.LegacySavepoint, NewestKnown: f.NewestKnown,
				Initial: f.InitialSavepointPath, Nonce: f.RedeployNonce, Completed: f.Completed, NoState: f.NoState,
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("it is chosen by (-want +got):\n%s", diff)
			}
			if id := (restore.Facts{Kind: f.Kind, Namespace: f.Namespace, Name: f.Name}); id != (restore.Facts{
				Kind: v1beta1.JobKindFlinkDeployment, Namespace: "default", Name: "demo",
			}) {
				t.Errorf("the command of its remedy is for %+v", id)
			}
		})
	}
}

func TestHowAStartIsRecorded(t *testing.T) {
	for kind, want := range map[v1beta1.StartKind]v1beta1.UpgradeMode{
		v1beta1.StartSavepoint: v1beta1.UpgradeModeSavepoint,
		v1beta1.StartLastState: v1beta1.UpgradeModeLastState,
		v1beta1.StartEmpty:     v1beta1.UpgradeModeStateless,
	} {
		if got := RestoredMode(&v1beta1.StartPoint{Kind: kind}); got != want {
			t.Errorf("a start from %s is recorded as %s, want %s", kind, got, want)
		}
	}
}

// A spec is stable once its cluster is deployed and ready and, of an application, its tasks run or it has finished.
func TestWhichSpecIsStable(t *testing.T) {
	running := &world.Job{State: v1beta1.FlinkJobRunning, Tasks: 2, Running: 2}
	rows := map[string]struct {
		job        *world.Job
		state      v1beta1.FlinkJobState
		jobManager v1beta1.JobManagerDeploymentStatus
		deployed   v1beta1.ReconciliationState
		session    bool
		want       bool
	}{
		"all tasks run": {
			job: running, jobManager: v1beta1.JobManagerReady, deployed: v1beta1.ReconciliationDeployed, want: true,
		},
		"a task waits": {
			job:        &world.Job{State: v1beta1.FlinkJobRunning, Tasks: 2, Running: 1},
			jobManager: v1beta1.JobManagerReady, deployed: v1beta1.ReconciliationDeployed,
		},
		"it has finished": {
			state: v1beta1.FlinkJobFinished, jobManager: v1beta1.JobManagerReady,
			deployed: v1beta1.ReconciliationDeployed, want: true,
		},
		"it has failed": {
			state: v1beta1.FlinkJobFailed, jobManager: v1beta1.JobManagerReady, deployed: v1beta1.ReconciliationDeployed,
		},
		"a session cluster answers": {
			session: true, jobManager: v1beta1.JobManagerReady, deployed: v1beta1.ReconciliationDeployed, want: true,
		},
		"the JobManager is not ready": {
			job: running, jobManager: v1beta1.JobManagerDeploying, deployed: v1beta1.ReconciliationDeployed,
		},
		"it was rolled back": {
			job: running, jobManager: v1beta1.JobManagerReady, deployed: v1beta1.ReconciliationRolledBack,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				if row.session {
					guesttest.SessionDeployed(t)(s)
				}
				s.Resource.Status.ReconciliationStatus.State = row.deployed
				s.Resource.Status.JobManagerDeploymentStatus = row.jobManager
				s.Resource.Status.JobStatus.State = row.state
			})
			if v.Job = row.job; IsStable(v) != row.want {
				t.Errorf("stable: %t, want %t", !row.want, row.want)
			}
		})
	}
}

// A JobManager hangs when it is ready, answers nothing, and has not for as long as a checkpoint may take.
func TestWhichJobManagerHangs(t *testing.T) {
	refused := plan.Unknown[[]world.Job]("time-out")
	long, moment := guesttest.Noon.Add(-time.Hour), guesttest.Noon.Add(-time.Second)
	silent := func(since time.Time) func(s *world.Seen) {
		return func(s *world.Seen) {
			s.Resource.Status.Conditions = []metav1.Condition{{
				Type: "ClusterAvailable", Status: metav1.ConditionFalse, LastTransitionTime: metav1.NewTime(since),
			}}
		}
	}
	rows := map[string]struct {
		at   place
		jobs plan.Observed[[]world.Job]
		then func(s *world.Seen)
		want plan.Reason
	}{
		"for long": {
			at: place{ready: long}, jobs: refused, then: silent(long), want: plan.ReasonJobManagerHung,
		},
		"for a moment":                      {at: place{ready: long}, jobs: refused, then: silent(moment)},
		"ready for a moment":                {at: place{ready: moment}, jobs: refused, then: silent(long)},
		"it answers":                        {at: place{ready: long}, jobs: plan.Present([]world.Job{}), then: silent(long)},
		"it was not asked":                  {at: place{ready: long}, then: silent(long)},
		"there is none to be asked":         {at: place{ready: long, unasked: true}, jobs: refused, then: silent(long)},
		"nobody has seen it without answer": {at: place{ready: long}, jobs: refused, then: func(*world.Seen) {}},
		"no TLS connection comes about": {at: place{ready: long}, jobs: refused, then: func(s *world.Seen) {
			silent(long)(s)
			s.Flink.Distrusted = true
		}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := lifeAt(t, row.at, func(s *world.Seen) {
				s.Flink.Jobs = row.jobs
				row.then(s)
			})
			got := Hung(v)
			switch {
			case (got == nil) != (row.want == ""):
				t.Errorf("%+v, want %q", got, row.want)
			case got != nil && got.Reason != row.want:
				t.Errorf("reason %s, want %s", got.Reason, row.want)
			}
		})
	}
}
