package deployment

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

func TestOptionsWithoutEffectAreToldOncePerGeneration(t *testing.T) {
	const reason = "OptionWithoutEffect"
	w := stable(t, with(application, `"flinkConfiguration":{`, `"flinkConfiguration":{"job.autoscaler.enabled":"true","kubernetes.operator.retry.max.attempts":"3",`))
	if w.told(reason) != 1 {
		t.Fatalf("told %d times: %+v", w.told(reason), w.events)
	}
	for _, e := range w.events {
		if e.Reason == reason && (!e.Warning || !e.Once || !strings.Contains(e.Message, "job.autoscaler.enabled has no effect: ") ||
			!strings.Contains(e.Message, "; option kubernetes.operator.retry.max.attempts has")) {
			t.Errorf("told %+v", e)
		}
	}
	if w.run(); w.told(reason) != 1 {
		t.Errorf("told again: %+v", w.events)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism++ })
	w.run()
	w.run()
	if w.told(reason) != 2 {
		t.Errorf("told %d times after two generations", w.told(reason))
	}
	if w := stable(t, with(application, `"flinkConfiguration":{`, `"flinkConfiguration":{"job.autoscaler.enabled":"false",`)); w.told(reason) != 0 {
		t.Errorf("off is what happens anyway: %+v", w.events)
	}
}

func TestARefusedSpecIsToldOfItsOptions(t *testing.T) {
	w := newWorld(t, with(application, `"flinkConfiguration":{`, `"flinkConfiguration":{"job.autoscaler.enabled":"true",`))
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.ServiceAccount = "" })
	w.run()
	w.run()
	if w.told("OptionWithoutEffect") != 1 || w.told("ValidationError") != 1 {
		t.Errorf("told %+v", w.events)
	}
}
