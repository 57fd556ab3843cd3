package sweep

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/quarantine"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// TestASweepLeavesOutWhatKilledItTwice: the others of the page are looked at, and it is again when its spec changes.
func TestASweepLeavesOutWhatKilledItTwice(t *testing.T) {
	f := newFleet(t, 4)
	dir := t.TempDir()
	key := func(name string) string {
		return event.Key{Kind: "FlinkDeployment", Namespace: "flink", Name: name}.String()
	}
	for range 2 {
		w, err := quarantine.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Begin(t.Context(), key("demo-0002"), 1); err != nil { // and the process is killed
			t.Fatal(err)
		}
	}
	status := map[string]any{"pace": "slow", "conditions": []any{map[string]any{
		"type": "Stalled", "status": "True", "reason": "Quarantined", "observedGeneration": int64(1), "message": "m",
		"lastTransitionTime": f.kube.Clock.Now().UTC().Format(time.RFC3339),
	}}}
	if _, err := f.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", "demo-0001", status); err != nil {
		t.Fatal(err)
	}
	sweep := func(want ...string) {
		t.Helper()
		var err error
		if f.Ward, err = quarantine.Open(dir); err != nil {
			t.Fatal(err)
		}
		f.asked = asked{}
		f.kube.Clock.Advance(61 * time.Second)
		if err := f.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := f.mail.subjects()
		slices.Sort(got)
		for i := range want {
			want[i] = "flink/FlinkDeployment/" + want[i]
		}
		if !slices.Equal(slices.Compact(got), want) {
			t.Errorf("passes were asked for: %v, want %v", got, want)
		}
	}
	sweep("demo-0000", "demo-0003")
	for _, name := range []string{"demo-0001", "demo-0002"} {
		if _, err := f.kube.Update(kubesim.FlinkDeployments, "flink", name, func(u *unstructured.Unstructured) {
			u.Object["spec"] = map[string]any{"flinkVersion": "v2_0"}
		}); err != nil {
			t.Fatal(err)
		}
	}
	sweep("demo-0000", "demo-0001", "demo-0002", "demo-0003")
}
