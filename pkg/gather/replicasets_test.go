package gather

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// The ReplicaSets of both Deployments of a cluster are found by the labels of their pods; what is of nobody, or of
// another cluster, is not.
func TestTheReplicaSetsOfACluster(t *testing.T) {
	g, w := newGatherer(t)
	put := func(name, app, component, owner string, replicas, observed int64) {
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "ReplicaSet",
			"metadata": map[string]any{
				"namespace": "flink", "name": name, "labels": map[string]any{"app": app, "component": component},
			},
			"spec": map[string]any{"replicas": replicas},
		}}
		if owner != "" {
			u.Object["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{
				"apiVersion": "apps/v1", "kind": "Deployment", "name": "demo", "uid": owner, "controller": true,
			}}
		}
		if _, err := w.Kube.Create(kubesim.ReplicaSets, u); err != nil {
			t.Fatal(err)
		}
		status := map[string]any{"observedGeneration": observed}
		if _, err := w.Kube.UpdateStatus(kubesim.ReplicaSets, "flink", name, status); err != nil {
			t.Fatal(err)
		}
	}
	put("demo-1", "demo", "jobmanager", "old", 1, 1)
	put("demo-2", "demo", "jobmanager", "new", 0, 1)
	put("demo-taskmanager-2", "demo", "taskmanager", "tm", 0, 0)
	put("demo-3", "demo", "jobmanager", "", 1, 1)
	put("other-1", "other", "jobmanager", "old", 1, 1)
	sets, known := g.replicaSets(t.Context(), "flink", "demo").Get()
	if !known {
		t.Fatal("they are not known")
	}
	for i := range sets {
		sets[i].UID = ""
	}
	if diff := cmp.Diff([]cluster.ReplicaSet{
		{Name: "demo-1", Deployment: "old", Replicas: 1, Seen: true},
		{Name: "demo-2", Deployment: "new", Seen: true},
		{Name: "demo-taskmanager-2", Deployment: "tm"},
	}, sets); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	w.Tap.Inject(wire.Fault{Match: wire.On("list", "replicasets"), Status: 403})
	if got := g.replicaSets(t.Context(), "flink", "demo"); !got.IsUnknown() || got.Why() == "" {
		t.Errorf("forbidden, and %+v", got)
	}
}
