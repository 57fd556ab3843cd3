package deployment

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestEachSpecThatWasJudgedIsObserved(t *testing.T) {
	lost := func(t *testing.T) *fixture {
		w := stable(t, stateful)
		w.serveJob(v1beta1.FlinkJobFinished)
		w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{}) // it lies where nothing is restored from
		w.run()
		return w
	}
	steady := func(t *testing.T) *fixture { return stable(t, stateful) }
	invalid := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 }
	rows := map[string]struct {
		before    func(t *testing.T) *fixture
		edit      func(*v1beta1.FlinkDeploymentSpec)
		situation plan.Situation
		deployed  int64
		reason    string
	}{
		"invalid":    {steady, invalid, plan.Steady, 1, "the one before runs"},
		"refused":    {lost, upgradeImage, plan.Refused, 1, "nothing was deployed for it"},
		"on its way": {steady, upgradeImage, plan.Upgrade, 1, "the old job is being stopped"},
		"the same":   {steady, func(*v1beta1.FlinkDeploymentSpec) {}, plan.Steady, 2, "what runs is what it asks for"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.before(t)
			w.edit(row.edit)
			w.run()
			status := w.status()
			deployed := w.deployedGeneration()
			if status.Situation != string(row.situation) || status.ObservedGeneration != 2 || deployed != row.deployed {
				t.Errorf("%s, observed %d, deployed %d, want %s, 2, %d: %s; %+v", status.Situation,
					status.ObservedGeneration, deployed, row.situation, row.deployed, row.reason, status.Conditions)
			}
		})
	}
}

func TestARollbackOnDemandNamesItsGeneration(t *testing.T) {
	for annotation, rolls := range map[string]bool{"2": true, "3": false} {
		w := failing(t, highlyAvailable)
		w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 })
		w.run()
		w.s.Resource.Annotations = map[string]string{v1beta1.AnnotationRollback: annotation}
		w.run()
		if told := w.told("Rollback") > 0; told != rolls {
			t.Errorf("generation 2 is deployed, 3 is invalid, %s is asked for: rolled back %t; %q", annotation, told, w.log)
		}
	}
}

// deployedGeneration is the one that the status names as deployed; the observed one when it names no other.
func (w *fixture) deployedGeneration() int64 {
	if other := w.status().DeployedGeneration; other != nil {
		return *other
	}
	return w.status().ObservedGeneration
}
