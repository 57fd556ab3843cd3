package deployment_test

import (
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// BenchmarkLook is what observe computes for one steady application, from the resource as the API server sent it: what
// to ask, and the decision. Nothing is asked for real.
func BenchmarkLook(b *testing.B) {
	w, u := steady(b)
	b.ReportAllocs()
	for b.Loop() {
		read(b, w, u)
		w.Snapshot.Flink = world.Flink{}
		inquiry := deployment.Open(w.Snapshot)
		inquiry.AsksAutoscaled()
		inquiry.First()
		w.ServeJob(v1beta1.FlinkJobRunning)
		inquiry.Seen.Flink = w.Snapshot.Flink
		inquiry.Flink()
		if p := inquiry.Plan(); !p.IsQuiet() || p.Status != nil {
			b.Fatalf("%s is not steady", p)
		}
	}
}

// BenchmarkDecide is the decision alone.
func BenchmarkDecide(b *testing.B) {
	w, _ := steady(b)
	b.ReportAllocs()
	for b.Loop() {
		if p := deployment.Make(w.Snapshot); !p.IsQuiet() || p.Status != nil {
			b.Fatalf("%s is not steady", p)
		}
	}
}

// steady is an application at rest, and the same as the API server sends it.
func steady(b *testing.B) (*enginetest.Deployment, *unstructured.Unstructured) {
	b.Helper()
	u := sent(b)
	w := &enginetest.Deployment{Snapshot: cluster.Snapshot{Seen: world.Seen{Now: enginetest.Start}}}
	jm := &appsv1.Deployment{}
	jm.Name, jm.Namespace, jm.UID = u.GetName(), u.GetNamespace(), "uid-of-the-deployment"
	w.Snapshot.JobManager = plan.Present(jm)
	for range 5 {
		read(b, w, u)
		w.ServeJob(v1beta1.FlinkJobRunning)
		p := deployment.Make(w.Snapshot)
		if p.Status == nil {
			return w, u
		}
		status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(p.Status)
		if err != nil {
			b.Fatal(err)
		}
		u.Object["status"] = status
	}
	b.Fatal("it does not come to rest")
	return nil, nil
}

func read(b *testing.B, w *enginetest.Deployment, u *unstructured.Unstructured) {
	resource, specErr, err := v1beta1.DecodeDeployment(u.Object)
	if specErr != nil || err != nil {
		b.Fatal(specErr, err)
	}
	w.Snapshot.Resource = &resource
	w.Snapshot.Recorded = world.ReadRecorded(w.Snapshot.Resource)
}

// sent is an application as the API server sends it, with what the owners of its fields list.
func sent(b *testing.B) *unstructured.Unstructured {
	b.Helper()
	text, err := os.ReadFile("../../apis/flink/v1beta1/testdata/golden/live-ha-5-upgraded-last-state.yaml")
	if err != nil {
		b.Fatal(err)
	}
	if text, err = yaml.YAMLToJSON(text); err != nil {
		b.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := kjson.Unmarshal(text, &u.Object); err != nil {
		b.Fatal(err)
	}

	u.Object["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{
		"manager": "kubectl", "operation": "Apply", "apiVersion": v1beta1.APIVersion, "fieldsType": "FieldsV1",
		"time": enginetest.Start.Format(time.RFC3339), "fieldsV1": map[string]any{"f:spec": fieldsOf(u.Object["spec"])},
	}, map[string]any{
		"manager": "reconcile", "operation": "Update", "apiVersion": v1beta1.APIVersion, "fieldsType": "FieldsV1",
		"time": enginetest.Start.Format(time.RFC3339), "fieldsV1": map[string]any{"f:status": fieldsOf(u.Object["status"])},
		"subresource": "status",
	}}
	return u
}

func fieldsOf(value any) any {
	fields := map[string]any{}
	if object, is := value.(map[string]any); is {
		for name, inner := range object {
			fields["f:"+name] = fieldsOf(inner)
		}
	}
	return fields
}
