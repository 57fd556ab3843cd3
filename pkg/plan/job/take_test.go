package job

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// A savepoint is disposed of once nothing is left to be told of the job: what Flink did not answer may be news, and a
// status that changes is written first.
func TestWhatFlinkLeftOpen(t *testing.T) {
	told := func(s *Seen) {
		s.Resource.Status.JobStatus.State = v1beta1.FlinkJobRunning
		s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a"}
		s.Flink.Checkpoints = plan.Unknown[Checkpoints]("time-out")
		s.Flink.Exceptions = plan.Unknown[[]exceptions.Entry]("time-out")
		s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"kubernetes.operator.events.exceptions.limit-per-reconciliation":"0"}`,
		)
	}
	rows := map[string]struct {
		then func(s *Seen)
		job  *Job
		want bool
	}{
		"no job is listed": {
			func(s *Seen) { told(s); s.Resource.Spec.FlinkConfiguration = nil }, nil, false,
		},
		"its failures are not asked for": {told, &Job{ID: "a", State: v1beta1.FlinkJobFailed}, false},
		"its failures are not known":     {failures(told, true), &Job{ID: "a", State: v1beta1.FlinkJobFailed}, true},
		"its failures are":               {failures(told, false), &Job{ID: "a", State: v1beta1.FlinkJobFailed}, false},
		"whether it has a checkpoint is not": {
			func(s *Seen) { told(s); s.Resource.Status.JobStatus.Checkpoint = nil }, nil, true,
		},
		"nobody needs to know of checkpoints": {func(s *Seen) {
			told(s)
			s.Resource.Status.JobStatus.Checkpoint, s.Resource.Spec.Job.UpgradeMode = nil, v1beta1.UpgradeModeStateless
		}, nil, false},
		"that it has none is known": {func(s *Seen) {
			told(s)
			s.Resource.Status.JobStatus.Checkpoint, s.Flink.Checkpoints = nil, plan.Absent[Checkpoints]()
		}, nil, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, row.then)
			v.Job = row.job
			if got := Snapshots(v).leftOpen(); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// failures has a job whose failures are told, as many as the option says, and known unless Flink does not answer.
func failures(then func(s *Seen), silent bool) func(s *Seen) {
	return func(s *Seen) {
		then(s)
		s.Resource.Spec.FlinkConfiguration = nil
		if !silent {
			s.Flink.Exceptions = plan.Present([]exceptions.Entry{})
		}
	}
}

// A nonce is recorded in what was deployed; none leaves it as it was.
func TestANonceIsRecorded(t *testing.T) {
	one, two := int64(1), int64(2)
	rows := map[string]struct {
		nonce *int64
		never bool
		want  *int64
	}{
		"another":        {&two, false, &two},
		"none":           {nil, false, &one},
		"never deployed": {&two, true, nil},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, func(s *Seen) {
				if row.never {
					neverDeployed(s)
				}
			})
			if v.Last != nil {
				v.Last.Spec.Job.SavepointTriggerNonce = &one
			}
			Snapshots(v).handled(snapshots.Savepoint, row.nonce)
			switch got := v.Last; {
			case row.want == nil && got == nil:
			case got == nil || *got.Spec.Job.SavepointTriggerNonce != *row.want:
				t.Errorf("%+v, want %d", got, *row.want)
			}
		})
	}
}

// The time of a state goes with its path; of one that was restored Flink knows only when that was.
func TestWhenAStateWasTaken(t *testing.T) {
	then := metav1.NewTime(noon.Add(-time.Hour))
	completed := noon.Add(-time.Minute)
	rows := map[string]struct {
		recorded string
		taken    *metav1.Time
		seen     Checkpoints
		want     time.Time
	}{
		"the recorded one":              {"s3://s/1", &then, Checkpoints{Path: "s3://s/1", Completed: completed}, then.Time},
		"the recorded one, at no time":  {"s3://s/1", nil, Checkpoints{Path: "s3://s/1", Completed: completed}, completed},
		"another":                       {"s3://s/1", &then, Checkpoints{Path: "s3://s/2", Completed: completed}, completed},
		"none, and none is recorded":    {"", &then, Checkpoints{Completed: completed}, completed},
		"another, completed at no time": {"s3://s/1", &then, Checkpoints{Path: "s3://s/2"}, time.Time{}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, func(s *Seen) {
				s.Resource.Status.JobStatus.UpgradeSavepointPath, s.Resource.Status.JobStatus.StateTaken = row.recorded, row.taken
			})
			var got time.Time
			if at := LastState(v).takenAt(row.seen); at != nil {
				got = at.Time
			}
			if !got.Equal(row.want) {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// A job that makes no checkpoints has none, which is not that nobody knows.
func TestWhichCheckpointTimesAreKnown(t *testing.T) {
	for seen, want := range map[string]bool{"present": true, "absent": true, "unknown": false} {
		v := newLife(t, func(s *Seen) {
			s.Flink.Checkpoints = map[string]plan.Observed[Checkpoints]{
				"present": plan.Present(Checkpoints{}), "absent": plan.Absent[Checkpoints](),
				"unknown": plan.Unknown[Checkpoints]("time-out"),
			}[seen]
		})
		if got := facts(v).checkpointTimes(); got.IsPresent() != want {
			t.Errorf("%s: %+v, want them known: %t", seen, got, want)
		}
	}
}

// The round that closes a start has not asked for the snapshots: those that an earlier answer has are left alone.
func TestOldSnapshotsGoOnceTheStartIsClosed(t *testing.T) {
	for _, row := range []struct {
		intent *v1beta1.Intent
		want   int
	}{{nil, 2}, {&v1beta1.Intent{Step: v1beta1.StepReleased}, 0}} {
		v := newLife(t, func(s *Seen) {
			s.Resource.Status.Intent = row.intent
			const options = `"kubernetes.operator.savepoint.history.max.count":"1",` +
				`"kubernetes.operator.periodic.savepoint.interval":"1 h"`
			optioned(t, s, options, options)
			var old []v1beta1.FlinkStateSnapshot
			for range 3 {
				one := v1beta1.FlinkStateSnapshot{}
				one.Spec.Savepoint = &v1beta1.SavepointSpec{}
				one.Namespace, one.Spec.JobReference = s.Resource.Namespace, &v1beta1.JobReference{
					Kind: v1beta1.JobKindFlinkDeployment, Name: s.Resource.Name,
				}
				one.Labels = map[string]string{v1beta1.LabelSnapshotTriggerType: string(v1beta1.SnapshotTriggerPeriodic)}
				old = append(old, one)
			}
			s.Snapshots = plan.Present(old)
		})
		if got := len(Snapshots(v).take().Actions); got != row.want {
			t.Errorf("%d actions with %v, want %d", got, row.intent, row.want)
		}
	}
}
