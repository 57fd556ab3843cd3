package deployment

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
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
	w := stable(t, stateful)
	w.s.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { nonce := int64(7); s.Job.SavepointTriggerNonce = &nonce })
	first := created(w.round())
	if len(first) != 1 || first[0].Spec.JobReference.Name != "demo" || first[0].Spec.Savepoint == nil {
		t.Fatalf("made %+v", first)
	}
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if again := created(w.round()); len(again) != 0 {
		t.Errorf("a nonce counts once, made %d more", len(again))
	}
}

func TestPeriodicSavepoints(t *testing.T) {
	spec := strings.Replace(
		stateful, `"state.savepoints.dir"`,
		`"kubernetes.operator.periodic.savepoint.interval":"10 min","state.savepoints.dir"`, 1,
	)
	w := stable(t, spec)
	w.s.Resource.CreationTimestamp.Time = w.s.Now
	w.s.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
	if made := created(w.round()); len(made) != 0 {
		t.Fatalf("nothing is due yet, made %+v", made)
	}
	w.s.Now = w.s.Now.Add(11 * time.Minute)
	if made := created(w.round()); len(made) != 1 ||
		made[0].Labels[v1beta1.LabelSnapshotTriggerType] != string(v1beta1.SnapshotTriggerPeriodic) {
		t.Errorf("made %+v", made)
	}
	w.s.Snapshots = plan.Unknown[[]v1beta1.FlinkStateSnapshot]("time-out")
	if made := created(w.round()); len(made) != 0 {
		t.Errorf("nothing is made on a guess, made %d", len(made))
	}
}

func TestTheSavepointOfAnUpgradeIsKept(t *testing.T) {
	w := stable(t, stateful)
	w.edit(upgradeImage)
	w.run()
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	made := created(w.round())
	if len(made) != 1 || made[0].Spec.Savepoint.Path != "file:///s/1" || !made[0].Spec.Savepoint.Exists() {
		t.Errorf("made %+v", made)
	}
}
