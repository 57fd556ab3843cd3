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

func TestTheAutoscalerIsToldOnce(t *testing.T) {
	const on, other = `"job.autoscaler.enabled":"true"`, `"kubernetes.operator.retry.max.attempts":"3"`
	cluster := with(session, `"jobManager"`, `"flinkConfiguration":{"a":"b"},"jobManager"`)
	rows := map[string]struct {
		spec              string
		autoscaler, event int
		reason            string
	}{
		"a job":              {spelled(application, on), 1, 0, "the condition says it, and its event"},
		"its older spelling": {spelled(application, `"kubernetes.operator.`+on[1:]), 1, 0, "it is the same option"},
		"beside another":     {spelled(application, on+","+other), 1, 1, "the other has no condition"},
		"off": {
			spelled(application, `"job.autoscaler.enabled":"false"`), 0, 0, "it is what happens anyway",
		},
		"a session cluster":    {spelled(cluster, on), 0, 1, "it has no job, and so no condition"},
		"a session, with more": {spelled(cluster, on+","+other), 0, 1, "one event for all"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.spec)
			for range 3 {
				w.run()
			}
			for reason, want := range map[string]int{"AutoscalerNotRun": row.autoscaler, "OptionWithoutEffect": row.event} {
				if got := w.told(reason); got != want {
					t.Errorf("%s is told %d times, want %d: %s; %+v", reason, got, want, row.reason, w.events)
				}
			}
			for _, e := range w.events {
				if e.Reason == "OptionWithoutEffect" && row.autoscaler > 0 && strings.Contains(e.Message, "autoscaler") {
					t.Errorf("it is told twice: %s", e.Message)
				}
			}
		})
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
