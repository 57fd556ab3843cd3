package world_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// sized is a spec whose cluster has a size that can be counted.
func sized(s *world.Seen, parallelism int32) {
	s.Resource.Spec.FlinkVersion = v1beta1.FlinkV1_20
	s.Resource.Spec.Job.Parallelism = parallelism
	s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"taskmanager.numberOfTaskSlots":"2",
		"state.savepoints.dir":"file:///s","kubernetes.operator.deployment.rollback.enabled":"true",
		"kubernetes.operator.deployment.readiness.timeout":"3 min"}`)
}

// A preview says how many TaskManagers run now, and how many would run, and whether a rollback would follow.
func TestWhatAPreviewShows(t *testing.T) {
	type shown struct {
		First, Asks   bool
		State         v1beta1.FlinkJobState
		Mode          v1beta1.UpgradeMode
		SavepointDir  string
		RolledBack    time.Duration
		Before, After int // TaskManagers; 0: the preview does not say
	}
	rows := map[string]struct {
		then func(s *world.Seen)
		want shown
	}{
		"a change of the size": {
			then: func(*world.Seen) {},
			want: shown{
				Asks: true, State: v1beta1.FlinkJobRunning, Mode: v1beta1.UpgradeModeSavepoint, SavepointDir: "file:///s",
				RolledBack: 3 * time.Minute, Before: 2, After: 4,
			},
		},
		"nothing has changed": {
			then: func(s *world.Seen) { sized(s, 4) },
			want: shown{
				State: v1beta1.FlinkJobRunning, Mode: v1beta1.UpgradeModeSavepoint, SavepointDir: "file:///s",
				RolledBack: 3 * time.Minute, Before: 2, After: 2,
			},
		},
		"the first deployment": {
			then: guesttest.NeverDeployed,
			want: shown{
				First: true, Asks: true, State: v1beta1.FlinkJobRunning, Mode: v1beta1.UpgradeModeSavepoint,
				SavepointDir: "file:///s", After: 4,
			},
		},
		"a suspension": {
			then: func(s *world.Seen) {
				sized(s, 4)
				s.Resource.Spec.Job.State = v1beta1.JobStateSuspended
			},
			want: shown{
				Asks: true, State: v1beta1.FlinkJobRunning, Mode: v1beta1.UpgradeModeSavepoint,
				SavepointDir: "file:///s", RolledBack: 3 * time.Minute, Before: 2,
			},
		},
		"a session job, whose cluster is another's": {
			then: func(s *world.Seen) { s.Kind = v1beta1.JobKindFlinkSessionJob },
			want: shown{
				Asks: true, State: v1beta1.FlinkJobRunning, Mode: v1beta1.UpgradeModeSavepoint, SavepointDir: "file:///s",
				RolledBack: 3 * time.Minute,
			},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				sized(s, 4)
				guesttest.Deployed(t, s)
				s.Resource.Status.JobStatus.State = v1beta1.FlinkJobRunning
				sized(s, 8)
				row.then(s)
			})
			o := world.OutlookOf(v)
			got := shown{
				First: o.First, Asks: o.Asks, State: o.State, Mode: o.Mode, SavepointDir: o.SavepointDir,
				RolledBack: o.RolledBack,
			}
			if o.Before != nil {
				got.Before = o.Before.TaskManagers
			}
			if o.After != nil {
				got.After = o.After.TaskManagers
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("the preview shows (-want +got):\n%s", diff)
			}
		})
	}
}

// A standalone cluster has as many TaskManagers as it asks for, whatever its job needs.
func TestHowManyTaskManagersThereAre(t *testing.T) {
	four := int32(4)
	rows := map[string]struct {
		mode        v1beta1.Mode
		asked       *int32
		parallelism int32
		slots       string
		replicas    int32
	}{
		"as many as hold the tasks": {parallelism: 5, slots: "2", replicas: 3},
		"one task, one slot":        {parallelism: 1, slots: "1", replicas: 1},
		"slots that cannot be":      {parallelism: 5, slots: "0", replicas: 5},
		"as many as a standalone cluster asks for": {
			mode: v1beta1.ModeStandalone, asked: &four, parallelism: 5, slots: "1", replicas: 4,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Spec.Mode, s.Resource.Spec.FlinkVersion = row.mode, v1beta1.FlinkV1_20
				s.Resource.Spec.Job.Parallelism = row.parallelism
				if row.asked != nil {
					s.Resource.Spec.TaskManager = &v1beta1.TaskManagerSpec{Replicas: row.asked}
				}
				s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
					`{"taskmanager.numberOfTaskSlots":"` + row.slots + `"}`)
			})
			if got := world.TaskManagerInfo(v, v.Spec).Replicas; got != row.replicas {
				t.Errorf("%d TaskManagers, want %d", got, row.replicas)
			}
		})
	}
}
