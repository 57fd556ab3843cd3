package manifests

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// TestOnePodTakesAllEvents: only there do the events of one resource meet, and wait for their turn; see ADR 70.
func TestOnePodTakesAllEvents(t *testing.T) {
	u := object(t, "300-reconcile.yaml", "Service", "reconcile")
	takes, _, err := unstructured.NestedFloat64(u.Object, "spec", "template", "spec", "containerConcurrency")
	works := flinkconf.NewOperator(nil).ReconcileParallelism()
	if err != nil || takes <= float64(works) {
		t.Errorf("a pod takes %v events (%v) and makes %d passes at once: nothing waits in it", takes, err, works)
	}
	pods, _, err := unstructured.NestedString(
		u.Object, "spec", "template", "metadata", "annotations", "autoscaling.knative.dev/max-scale",
	)
	if err != nil || pods != "1" {
		t.Errorf("%q pods at most (%v), want one", pods, err)
	}
}
