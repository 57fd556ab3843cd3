package decide_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Whether a spec can be carried out is asked of an edit of it, and not of a spec that runs, whatever it consists of.
func TestAnEditWithAPodTemplateIsJudged(t *testing.T) {
	w := enginetest.Stable(
		t,
		enginetest.With(
			enginetest.Stateful,
			`"flinkConfiguration":{`,
			`"podTemplate":{"metadata":{"labels":{"a":"b"}},"spec":{`+
				`"containers":[{"name":"flink-main-container","resources":{"limits":{"cpu":"1.5"}}}],`+
				`"volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Gi"}}]}},"flinkConfiguration":{`,
		),
	)
	w.Edit(func(*v1beta1.FlinkDeploymentSpec) {}) // as a deletion: another generation of the same spec
	if p := w.Run(); p.Situation != plan.Steady || w.Condition("SpecAccepted").Status != "True" {
		t.Errorf("%s; rounds %q", p, w.Log)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.ImagePullPolicy = "Foo" })
	w.Run()
	if c := w.Condition("SpecAccepted"); c.Status != "False" {
		t.Errorf("SpecAccepted %+v", c)
	}
	w.Edit(enginetest.UpgradeImage)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.ImagePullPolicy = "" })
	if p := w.Run(); p.Situation != plan.Upgrade {
		t.Errorf("%s; rounds %q", p, w.Log)
	}
}
