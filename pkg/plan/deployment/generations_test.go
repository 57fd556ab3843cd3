package deployment

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

func TestEachSpecThatWasJudgedIsObserved(t *testing.T) {
	lost := func(t *testing.T) *world {
		w := stable(t, stateful)
		w.serveJob(v1beta1.FlinkJobFinished)
		w.s.Flink.Checkpoints = plan.Present(subject.Checkpoints{}) // it lies where nothing is restored from
		w.run()
		return w
	}
	rows := map[string]struct {
		before    func(t *testing.T) *world
		edit      func(*v1beta1.FlinkDeploymentSpec)
		situation plan.Situation
		deployed  int64
		reason    string
	}{
		"invalid": {func(t *testing.T) *world { return stable(t, stateful) }, func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 }, plan.Steady, 1,
			"the one before runs"},
		"refused":                     {lost, upgradeImage, plan.Refused, 1, "nothing was deployed for it"},
		"on its way":                  {func(t *testing.T) *world { return stable(t, stateful) }, upgradeImage, plan.Upgrade, 1, "the old job is being stopped"},
		"without anything to be done": {func(t *testing.T) *world { return stable(t, stateful) }, func(*v1beta1.FlinkDeploymentSpec) {}, plan.Steady, 2, "what runs is what it asks for"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.before(t)
			w.edit(row.edit)
			w.run()
			status := w.status()
			if status.Situation != string(row.situation) || status.ObservedGeneration != 2 || w.deployedGeneration() != row.deployed {
				t.Errorf("%s, observed %d, deployed %d, want %s, 2, %d: %s; %+v", status.Situation, status.ObservedGeneration, w.deployedGeneration(), row.situation,
					row.deployed, row.reason, status.Conditions)
			}
		})
	}
}

func TestARollbackOnDemandNamesTheGenerationThatIsDeployed(t *testing.T) {
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
func (w *world) deployedGeneration() int64 {
	if other := w.status().DeployedGeneration; other != nil {
		return *other
	}
	return w.status().ObservedGeneration
}
