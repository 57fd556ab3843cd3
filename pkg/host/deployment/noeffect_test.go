package deployment

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// spelled puts options in front of those of a spec.
func spelled(spec, options string) string {
	return with(spec, `"flinkConfiguration":{`, `"flinkConfiguration":{`+options+`,`)
}

func TestOptionsWithoutEffectAreToldOnce(t *testing.T) {
	const reason = "OptionWithoutEffect"
	const both = `"kubernetes.operator.retry.initial.interval":"1 s","kubernetes.operator.retry.max.attempts":"3"`
	w := stable(t, spelled(application, both))
	if w.told(reason) != 1 {
		t.Fatalf("told %d times: %+v", w.told(reason), w.events)
	}
	for _, e := range w.events {
		if e.Reason == reason && (!e.Warning || !e.Once ||
			!strings.Contains(e.Message, "kubernetes.operator.retry.initial.interval has no effect: ") ||
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
}

func TestARefusedSpecIsToldOfItsOptions(t *testing.T) {
	w := newWorld(t, spelled(application, `"kubernetes.operator.retry.max.attempts":"3"`))
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.ServiceAccount = "" })
	w.run()
	w.run()
	if w.told("OptionWithoutEffect") != 1 || w.told("ValidationError") != 1 {
		t.Errorf("told %+v", w.events)
	}
}

func TestAPluginOfTheAutoscalerWithoutAnAddressIsTold(t *testing.T) {
	const named = `"job.autoscaler.enabled":"true","job.autoscaler.scaling.custom-executors":"mine",` +
		`"job.autoscaler.scaling.custom-executor.mine.class":"org.Mine"`
	for name, row := range map[string]struct {
		options string
		told    int
	}{
		"it is named":           {named, 1},
		"the autoscaler is off": {with(named, `"true"`, `"false"`), 0},
	} {
		w := stable(t, spelled(application, row.options))
		if w.told("OptionWithoutEffect") != row.told {
			t.Errorf("%s: told %+v", name, w.events)
		}
	}
}
