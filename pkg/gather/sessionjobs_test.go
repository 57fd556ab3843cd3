package gather

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// A session job counts to the cluster that its job runs on, also where its spec was made to name another.
func TestASessionJobIsOfItsCluster(t *testing.T) {
	const recorded = `{"spec":{"deploymentName":"demo"},"resource_metadata":{"apiVersion":"flink.apache.org/v1beta1"}}`
	g, w := newGatherer(t)
	for name, spec := range map[string]string{"moved": "other", "stays": "demo", "new": "demo", "elsewhere": "other"} {
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkSessionJob",
			"metadata": map[string]any{"namespace": "flink", "name": name},
			"spec":     map[string]any{"deploymentName": spec},
		}}
		if _, err := w.Kube.Create(kubesim.FlinkSessionJobs, u); err != nil {
			t.Fatal(err)
		}
		if name == "moved" || name == "stays" {
			status := map[string]any{"reconciliationStatus": map[string]any{"lastReconciledSpec": recorded}}
			if _, err := w.Kube.UpdateStatus(kubesim.FlinkSessionJobs, "flink", name, status); err != nil {
				t.Fatal(err)
			}
		}
	}
	status := map[string]any{"jobStatus": map[string]any{"jobId": "aa"}}
	if _, err := w.Kube.UpdateStatus(kubesim.FlinkSessionJobs, "flink", "new", status); err != nil {
		t.Fatal(err)
	}
	one := &v1beta1.FlinkSessionJob{}
	one.Namespace, one.UID = "flink", w.Kube.Get(kubesim.FlinkSessionJobs, "flink", "stays").GetUID()
	if others, known := g.otherSessionJobs(t.Context(), one).Get(); !known || len(others) != 1 ||
		others[0].JobID != "aa" {
		t.Errorf("others %+v, known %t", others, known)
	}
	got := map[string]bool{}
	for _, d := range g.SessionJobs(t.Context(), "flink", "demo") {
		got[d.Name] = true
	}
	if len(got) != 3 || !got["moved"] || !got["stays"] || !got["new"] {
		t.Errorf("got %v, want moved, stays and new", got)
	}
}
