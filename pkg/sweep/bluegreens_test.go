package sweep

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// A metric says how long a pair has waited for a user, also when none of its sides is stalled.
func TestAStalledPairIsTold(t *testing.T) {
	f := newFleet(t, 0)
	collector, push := f.measured(t)
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(fmt.Sprintf(`{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkBlueGreenDeployment",
		"metadata": {"namespace": "flink", "name": "demo", "uid": "u", "generation": 1}, "spec": {},
		"status": {"conditions": [
			{"type": "Stalled", "status": "True", "reason": "TransitionAborted", "message": "m", "lastTransitionTime": %q}
		]}}`, f.kube.Clock.Now().Add(-time.Hour).UTC().Format(time.RFC3339)))); err != nil {
		t.Fatal(err)
	}
	page := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*u}}
	look := f.lookAtBlueGreens(t.Context(), "flink", page)
	if err := look(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	push()
	waits := collector.Samples(
		string(metrics.Waiting), "flink.operator.reason=TransitionAborted", "flink.resource.kind=FlinkBlueGreenDeployment",
		"k8s.namespace.name=flink", "flink.resource.name=demo",
	)
	if len(waits) != 1 || waits[0].Value < 3600 || waits[0].Value > 3601 {
		t.Errorf("it waits %v, want an hour", waits)
	}
}
