package pass

import (
	"net/http"
	"testing"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/quarantine"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// died leaves what a process leaves that was killed while it worked on the keys. Package quarantine kills real ones.
func died(t *testing.T, dir string, generation int64, keys ...event.Key) {
	t.Helper()
	w, err := quarantine.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if _, err := w.Begin(t.Context(), key.String(), generation); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAResourceThatKilledTwicePodsWaitsUntilItsSpecChanges(t *testing.T) {
	server := kubesim.New(t, kubesim.NewClock(), wire.New())
	client := kube.New(server.Dynamic("kn-flink-reconcile"))
	broker := event.Publisher{URL: "http://broker", Client: &http.Client{Transport: deaf{}}}
	dir := t.TempDir()
	bomb := event.Key{Namespace: "flink", Kind: v1beta1.KindFlinkBlueGreenDeployment, Name: "bomb"}
	other := event.Key{Namespace: "flink", Kind: v1beta1.KindFlinkBlueGreenDeployment, Name: "other"}
	for _, key := range []event.Key{bomb, other} {
		if _, err := server.Create(kubesim.FlinkBlueGreenDeployments, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": v1beta1.APIVersion, "kind": key.Kind, "spec": map[string]any{},
			"metadata": map[string]any{"namespace": key.Namespace, "name": key.Name},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	// pass is one in a pod of its own, or in the one that is left when it is fresh is false.
	pass := func(key event.Key, dir, wantReason string, wantWrites bool) {
		t.Helper()
		ward, err := quarantine.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		runner := &Runner{
			Gather: &gather.Gatherer{Kube: client, Now: server.Clock.Now},
			Apply: &apply.Executor{Kube: client, Events: &apply.EventRecorder{
				Kube: client, Listeners: broker, Control: broker, Now: server.Clock.Now, Log: zap.NewNop().Sugar(),
			}},
			Watches: func(string) bool { return true }, Log: zap.NewNop().Sugar(), Ward: ward,
		}
		before := server.Get(kubesim.FlinkBlueGreenDeployments, key.Namespace, key.Name).GetResourceVersion()
		if err := runner.Run(t.Context(), key, true); err != nil {
			t.Fatal(err)
		}
		u := server.Get(kubesim.FlinkBlueGreenDeployments, key.Namespace, key.Name)
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		reason := "-"
		for _, c := range conditions {
			if one := c.(map[string]any); one["type"] == "Stalled" {
				reason = one["reason"].(string)
			}
		}
		if wrote := u.GetResourceVersion() != before; reason != wantReason || wrote != wantWrites {
			t.Errorf("%s: Stalled %s, written %t, want %s, %t", key.Name, reason, wrote, wantReason, wantWrites)
		}
	}
	died(t, dir, 1, bomb, other)
	pass(other, dir, "ValidationFailed", true)
	died(t, dir, 1, bomb)
	pass(bomb, dir, "Quarantined", true)
	pass(bomb, dir, "Quarantined", false)
	pass(bomb, t.TempDir(), "Quarantined", false) // another pod knows it by its status
	pass(other, dir, "ValidationFailed", false)
	if _, err := server.Update(
		kubesim.FlinkBlueGreenDeployments, bomb.Namespace, bomb.Name, func(u *unstructured.Unstructured) {
			u.Object["spec"] = map[string]any{"template": map[string]any{}}
		},
	); err != nil {
		t.Fatal(err)
	}
	pass(bomb, dir, "ValidationFailed", true)
	died(t, dir, 0, bomb)
	died(t, dir, 0, bomb)
	pass(bomb, dir, "ValidationFailed", false) // to read it kills: the log says so
}
