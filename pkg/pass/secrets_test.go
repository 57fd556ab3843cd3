package pass

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// The API server repeats values in its refusals.
func TestAnErrorTellsNoSecretOfTheResource(t *testing.T) {
	refusal := errors.New(`spec.containers[0].args: Invalid value: "hunter2"`)
	savepoint := map[string]any{
		"jobReference": map[string]any{"kind": "FlinkDeployment", "name": "demo"}, "savepoint": map[string]any{},
	}
	for kind, name := range map[string]string{
		v1beta1.KindFlinkDeployment: "demo", v1beta1.KindFlinkStateSnapshot: "snap",
	} {
		t.Run(kind, func(t *testing.T) {
			i := install(t)
			core, lines := observer.New(zap.DebugLevel)
			i.r.Log = zap.New(core).Sugar()
			i.merge(
				"demo",
				map[string]any{"spec": map[string]any{"job": map[string]any{"args": []any{"--db-password", "hunter2"}}}},
			)
			i.create(v1beta1.FlinkStateSnapshotGVR.Resource, v1beta1.KindFlinkStateSnapshot, "snap", savepoint)
			i.w.Tap.Inject(wire.Fault{Match: wire.Writes(agent), Err: refusal})
			err := i.r.Run(t.Context(), event.Key{Kind: kind, Namespace: "flink", Name: name}, true)
			told := fmt.Sprint(err)
			for _, line := range lines.All() {
				told += fmt.Sprintln(line.Message, line.ContextMap())
			}
			if err == nil || !errors.Is(err, refusal) {
				t.Errorf("the error is %v, want the refusal", err)
			}
			if strings.Contains(told, "hunter2") || strings.Count(told, `Invalid value: "******"`) < 2 {
				t.Errorf("told %s", told)
			}
		})
	}
}
