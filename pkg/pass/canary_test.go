package pass

import (
	"testing"
	"time"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// TestACanaryIsChangedByTheClockAndAnsweredByTheSource: what only one of them does, the other cannot stand in for.
func TestACanaryIsChangedByTheClockAndAnsweredByTheSource(t *testing.T) {
	server := kubesim.New(t, kubesim.NewClock(), wire.New())
	client := kube.New(server.Dynamic("kn-flink-reconcile"))
	runner := &Runner{
		Gather: &gather.Gatherer{Kube: client, Now: server.Clock.Now},
		Apply:  &apply.Executor{Kube: client}, Watches: func(string) bool { return true },
		Manager: "kn-flink-reconcile", Log: zap.NewNop().Sugar(),
	}
	if _, err := server.Create(kubesim.FlinkDeployments, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment,
		"metadata": map[string]any{
			"namespace": "flink", "name": "canary", "labels": map[string]any{v1beta1.LabelCanary: "true"},
		},
	}}); err != nil {
		t.Fatal(err)
	}
	key := event.Key{Namespace: "flink", Kind: v1beta1.KindFlinkDeployment, Name: "canary"}
	wake := func(asked bool, wantNonce, wantAnswered int64) {
		t.Helper()
		if err := runner.Run(t.Context(), key, asked); err != nil {
			t.Fatal(err)
		}
		u := server.Get(kubesim.FlinkDeployments, "flink", "canary")
		if c := v1beta1.CanaryOf(u); c.RestartNonce != wantNonce || c.Answered != wantAnswered {
			t.Errorf("nonce %d, answered %d, want %d, %d", c.RestartNonce, c.Answered, wantNonce, wantAnswered)
		}
		if len(u.GetFinalizers()) > 0 {
			t.Error("a canary is held")
		}
	}
	const clock, source = true, false
	wake(source, 0, 1)
	wake(clock, 1, 1)
	wake(clock, 1, 1) // it was asked a moment ago
	wake(source, 1, 2)
	wake(source, 1, 2) // the event of the write of the status
	server.Clock.Advance(2 * time.Minute)
	wake(clock, 2, 2)
	server.Clock.Advance(2 * time.Minute)
	wake(clock, 3, 2) // the source is dead: it is asked again
	u := server.Get(kubesim.FlinkDeployments, "flink", "canary")
	if waits := server.Clock.Now().Sub(v1beta1.CanaryOf(u).Asked); waits < 2*time.Minute {
		t.Errorf("it waits for an answer since %s, want since the first change without one", waits)
	}
	wake(source, 3, 4)
}
