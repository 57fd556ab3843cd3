package observe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// created are the FlinkStateSnapshots that a plan makes.
func created(p plan.Plan) []*v1beta1.FlinkStateSnapshot {
	var all []*v1beta1.FlinkStateSnapshot
	for _, a := range p.Actions {
		if c, ok := a.(plan.CreateSnapshot); ok {
			all = append(all, c.Object)
		}
	}
	return all
}

func TestANonceTakesOneSavepoint(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Snapshot.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { nonce := int64(7); s.Job.SavepointTriggerNonce = &nonce })
	first := created(w.Round())
	if len(first) != 1 || first[0].Spec.JobReference.Name != "demo" || first[0].Spec.Savepoint == nil {
		t.Fatalf("made %+v", first)
	}
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if again := created(w.Round()); len(again) != 0 {
		t.Errorf("a nonce counts once, made %d more", len(again))
	}
}

func TestPeriodicSavepoints(t *testing.T) {
	spec := strings.Replace(
		enginetest.Stateful, `"state.savepoints.dir"`,
		`"kubernetes.operator.periodic.savepoint.interval":"10 min","state.savepoints.dir"`, 1,
	)
	w := enginetest.Stable(t, spec)
	w.Snapshot.Resource.CreationTimestamp.Time = w.Snapshot.Now
	w.Snapshot.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
	if made := created(w.Round()); len(made) != 0 {
		t.Fatalf("nothing is due yet, made %+v", made)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(11 * time.Minute)
	if made := created(w.Round()); len(made) != 1 ||
		made[0].Labels[v1beta1.LabelSnapshotTriggerType] != string(v1beta1.SnapshotTriggerPeriodic) {
		t.Errorf("made %+v", made)
	}
	w.Snapshot.Snapshots = plan.Unknown[[]v1beta1.FlinkStateSnapshot]("time-out")
	if made := created(w.Round()); len(made) != 0 {
		t.Errorf("nothing is made on a guess, made %d", len(made))
	}
}

func TestTheSavepointOfAnUpgradeIsKept(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	made := created(w.Round())
	if len(made) != 1 || made[0].Spec.Savepoint.Path != "file:///s/1" || !made[0].Spec.Savepoint.Exists() {
		t.Errorf("made %+v", made)
	}
}
