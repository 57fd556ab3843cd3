package operation

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
)

// A savepoint is disposed of once nothing is left to be told of the job: what Flink did not answer may be news, and a
// status that changes is written first.
func TestWhatFlinkLeftOpen(t *testing.T) {
	told := func(s *world.Seen) {
		s.Resource.Status.JobStatus.State = v1beta1.FlinkJobRunning
		s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a"}
		s.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
		s.Flink.Exceptions = plan.Unknown[[]exceptions.Entry]("time-out")
		s.Operator = flinkconf.NewOperator(flinkconf.Config{
			"kubernetes.operator.events.exceptions.limit-per-reconciliation": "0",
		})
	}
	rows := map[string]struct {
		then func(s *world.Seen)
		job  *world.Job
		want bool
	}{
		"no job is listed": {
			func(s *world.Seen) { told(s); s.Operator = flinkconf.NewOperator(nil) }, nil, false,
		},
		"its failures are not asked for": {told, &world.Job{ID: "a", State: v1beta1.FlinkJobFailed}, false},
		"its failures are not known":     {failures(told, true), &world.Job{ID: "a", State: v1beta1.FlinkJobFailed}, true},
		"its failures are":               {failures(told, false), &world.Job{ID: "a", State: v1beta1.FlinkJobFailed}, false},
		"whether it has a checkpoint is not": {
			func(s *world.Seen) { told(s); s.Resource.Status.JobStatus.Checkpoint = nil }, nil, true,
		},
		"nobody needs to know of checkpoints": {func(s *world.Seen) {
			told(s)
			s.Resource.Status.JobStatus.Checkpoint, s.Resource.Spec.Job.UpgradeMode = nil, v1beta1.UpgradeModeStateless
		}, nil, false},
		"that it has none is known": {func(s *world.Seen) {
			told(s)
			s.Resource.Status.JobStatus.Checkpoint, s.Flink.Checkpoints = nil, plan.Absent[world.Checkpoints]()
		}, nil, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, row.then)
			v.Job = row.job
			if got := leftOpen(v); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// failures has a job whose failures are told, as many as the option says, and known unless Flink does not answer.
func failures(then func(s *world.Seen), silent bool) func(s *world.Seen) {
	return func(s *world.Seen) {
		then(s)
		s.Operator = flinkconf.NewOperator(nil)
		if !silent {
			s.Flink.Exceptions = plan.Present([]exceptions.Entry{})
		}
	}
}

// The round that closes a start has not asked for the snapshots: those that an earlier answer has are left alone.
func TestOldSnapshotsGoOnceTheStartIsClosed(t *testing.T) {
	for _, row := range []struct {
		intent *v1beta1.Intent
		want   int
	}{{nil, 2}, {&v1beta1.Intent{Step: v1beta1.StepReleased}, 0}} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Status.Intent = row.intent
			const options = `"kubernetes.operator.savepoint.history.max.count":"1",` +
				`"kubernetes.operator.periodic.savepoint.interval":"1 h"`
			guesttest.Optioned(t, s, options, options)
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
		if got := len(TakeSnapshots(v).Actions); got != row.want {
			t.Errorf("%d actions with %v, want %d", got, row.intent, row.want)
		}
	}
}
