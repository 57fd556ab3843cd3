package quarantined

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// resource is a FlinkBlueGreenDeployment.
func resource() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkBlueGreenDeployment,
		"metadata": map[string]any{"namespace": "flink", "name": "mine", "generation": int64(2)},
	}}
}

func TestItIsToldOnce(t *testing.T) {
	s := Snapshot{Now: start, Resource: resource()}
	s.Resource.Object["status"] = map[string]any{"blueGreenState": "ACTIVE_BLUE"}
	p := Make(s)
	if p.Status == nil || len(p.Events) != 1 || p.Events[0].Reason != plan.ReasonQuarantined || len(p.Actions) > 0 {
		t.Fatalf("it is told in a condition and an event: %+v", p)
	}
	status := *p.Status.(*map[string]any)
	if status["blueGreenState"] != "ACTIVE_BLUE" {
		t.Errorf("what another operator wrote stays: %v", status)
	}
	text, err := json.Marshal(status)
	if err != nil {
		t.Fatal(err)
	}
	var stored map[string]any
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	s.Resource.Object["status"] = stored
	if again := Make(s); again.Status != nil || len(again.Events) > 0 {
		t.Errorf("what was told is told again: %+v", again)
	}
	s.Resource.SetGeneration(3)
	if changed := Make(s); changed.Status == nil {
		t.Error("a new generation is told")
	}
}

func TestItIsStalled(t *testing.T) {
	status := *Make(Snapshot{Now: start, Resource: resource()}).Status.(*map[string]any)
	conditions, _ := status["conditions"].([]metav1.Condition)
	shown := map[string]metav1.ConditionStatus{}
	for _, c := range conditions {
		shown[c.Type] = c.Status
		if c.Reason != "Quarantined" || c.ObservedGeneration != 2 || !strings.Contains(c.Message, "died twice") {
			t.Errorf("condition %+v", c)
		}
	}
	if shown["Stalled"] != metav1.ConditionTrue || shown["Ready"] != metav1.ConditionFalse {
		t.Errorf("conditions %+v", conditions)
	}
}

// Whoever waits for the newest spec, as Flux does, is told that nothing will be made of it. What runs is still known.
func TestTheGenerationIsJudged(t *testing.T) {
	deployed := map[string]any{"lastReconciledSpec": "{}"}
	rows := map[string]struct {
		reason string
		status map[string]any
		want   map[string]any
	}{
		"nobody has looked": {
			"the API server fills in -1", map[string]any{"observedGeneration": int64(-1)},
			map[string]any{"observedGeneration": int64(2)},
		},
		"the newest spec runs": {
			"the function died later",
			map[string]any{"observedGeneration": int64(2), "reconciliationStatus": deployed},
			map[string]any{"observedGeneration": int64(2), "deployedGeneration": int64(2)},
		},
		"an older spec runs": {
			"the function died of the newest",
			map[string]any{"observedGeneration": int64(1), "reconciliationStatus": deployed},
			map[string]any{"observedGeneration": int64(2), "deployedGeneration": int64(1)},
		},
		"a spec in between was refused": {
			"it was never deployed",
			map[string]any{
				"observedGeneration": int64(1), "deployedGeneration": int64(0), "reconciliationStatus": deployed,
			},
			map[string]any{"observedGeneration": int64(2), "deployedGeneration": int64(0)},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := Snapshot{Now: start, Resource: resource()}
			s.Resource.Object["status"] = row.status
			got := *Make(s).Status.(*map[string]any)
			for _, field := range []string{"observedGeneration", "deployedGeneration"} {
				if got[field] != row.want[field] {
					t.Errorf("%s is %v, want %v: %s", field, got[field], row.want[field], row.reason)
				}
			}
		})
	}
}
