package tell_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
)

func TestOptionsWithoutEffectAreToldOnce(t *testing.T) {
	const reason = "OptionWithoutEffect"
	const both = `"kubernetes.operator.retry.initial.interval":"1 s","kubernetes.operator.retry.max.attempts":"3"`
	w := enginetest.Stable(t, enginetest.Spelled(enginetest.Application, both))
	if w.Told(reason) != 1 {
		t.Fatalf("told %d times: %+v", w.Told(reason), w.Events)
	}
	for _, e := range w.Events {
		if e.Reason == reason && (!e.Warning || !e.Once ||
			!strings.Contains(e.Message, "kubernetes.operator.retry.initial.interval has no effect: ") ||
			!strings.Contains(e.Message, "; option kubernetes.operator.retry.max.attempts has")) {
			t.Errorf("told %+v", e)
		}
	}
	if w.Run(); w.Told(reason) != 1 {
		t.Errorf("told again: %+v", w.Events)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism++ })
	w.Run()
	w.Run()
	if w.Told(reason) != 2 {
		t.Errorf("told %d times after two generations", w.Told(reason))
	}
}

func TestARefusedSpecIsToldOfItsOptions(t *testing.T) {
	w := enginetest.NewDeployment(
		t,
		enginetest.Spelled(enginetest.Application, `"kubernetes.operator.retry.max.attempts":"3"`),
	)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.ServiceAccount = "" })
	w.Run()
	w.Run()
	if w.Told("OptionWithoutEffect") != 1 || w.Told("ValidationError") != 1 {
		t.Errorf("told %+v", w.Events)
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
		"the autoscaler is off": {enginetest.With(named, `"true"`, `"false"`), 0},
	} {
		w := enginetest.Stable(t, enginetest.Spelled(enginetest.Application, row.options))
		if w.Told("OptionWithoutEffect") != row.told {
			t.Errorf("%s: told %+v", name, w.Events)
		}
	}
}

// T11.82: a third FlinkDeployment with a pair as its owner is ignored by the pair, and told so.
func TestAThirdSideIsTold(t *testing.T) {
	owner := metav1.OwnerReference{
		APIVersion: v1beta1.APIVersion, Kind: v1beta1.KindFlinkBlueGreenDeployment, Name: "demo", UID: "pair",
	}
	for name, row := range map[string]struct {
		owner metav1.OwnerReference
		told  int
	}{
		"of a pair that does not know it": {owner, 1},
		"of a pair whose side it is":      {withName(owner, "de"), 0},
	} {
		w := enginetest.NewDeployment(t, enginetest.Application)
		if row.told == 0 {
			w.Snapshot.Resource.Name = "de-blue"
		}
		w.Snapshot.Resource.OwnerReferences = []metav1.OwnerReference{row.owner}
		w.Run()
		if w.Told("OptionWithoutEffect") != row.told {
			t.Errorf("%s: told %+v", name, w.Events)
		}
	}
}

func withName(o metav1.OwnerReference, name string) metav1.OwnerReference {
	o.Name = name
	return o
}
