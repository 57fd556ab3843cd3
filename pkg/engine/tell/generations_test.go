package tell_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestEachSpecThatWasJudgedIsObserved(t *testing.T) {
	lost := func(t *testing.T) *enginetest.Deployment {
		w := enginetest.Stable(t, enginetest.Stateful)
		w.ServeJob(v1beta1.FlinkJobFinished)
		w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{}) // it lies where nothing is restored from
		w.Run()
		return w
	}
	steady := func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, enginetest.Stateful) }
	invalid := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 }
	rows := map[string]struct {
		before    func(t *testing.T) *enginetest.Deployment
		edit      func(*v1beta1.FlinkDeploymentSpec)
		situation plan.Situation
		deployed  int64
		reason    string
	}{
		"invalid":    {steady, invalid, plan.Steady, 1, "the one before runs"},
		"refused":    {lost, enginetest.UpgradeImage, plan.Refused, 1, "nothing was deployed for it"},
		"on its way": {steady, enginetest.UpgradeImage, plan.Upgrade, 1, "the old job is being stopped"},
		"the same":   {steady, func(*v1beta1.FlinkDeploymentSpec) {}, plan.Steady, 2, "what runs is what it asks for"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.before(t)
			w.Edit(row.edit)
			w.Run()
			status := w.Status()
			deployed := w.DeployedGeneration()
			if status.Situation != string(row.situation) || status.ObservedGeneration != 2 || deployed != row.deployed {
				t.Errorf("%s, observed %d, deployed %d, want %s, 2, %d: %s; %+v", status.Situation,
					status.ObservedGeneration, deployed, row.situation, row.deployed, row.reason, status.Conditions)
			}
		})
	}
}

func TestARollbackOnDemandNamesItsGeneration(t *testing.T) {
	for annotation, rolls := range map[string]bool{"2": true, "3": false} {
		w := enginetest.Failing(t, enginetest.HighlyAvailable)
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 })
		w.Run()
		w.Snapshot.Resource.Annotations = map[string]string{v1beta1.AnnotationRollback: annotation}
		w.Run()
		if told := w.Told("Rollback") > 0; told != rolls {
			t.Errorf("generation 2 is deployed, 3 is invalid, %s is asked for: rolled back %t; %q", annotation, told, w.Log)
		}
	}
}
