package pass

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

var demoKey = event.Key{Kind: v1beta1.KindFlinkDeployment, Namespace: "flink", Name: "demo"}

func (i *installation) resource() *unstructured.Unstructured {
	return i.w.Kube.Get(v1beta1.FlinkDeploymentGVR, "flink", "demo")
}

// condition is the reason and the message of a condition of the resource; empty when it has none.
func (i *installation) condition(name string) (reason, message string) {
	all, _, _ := unstructured.NestedSlice(i.resource().Object, "status", "conditions")
	for _, one := range all {
		if c := one.(map[string]any); c["type"] == name {
			return c["reason"].(string), c["message"].(string)
		}
	}
	return "", ""
}

// told is how often a reason was told, by the counts of its Kubernetes Events.
func (i *installation) told(reason string) (count int64, message string) {
	for _, e := range i.w.Kube.List(kubesim.Events, "flink", nil) {
		if e.Object["reason"] == reason {
			n, _, _ := unstructured.NestedInt64(e.Object, "count")
			count, message = count+n, e.Object["message"].(string)
		}
	}
	return count, message
}

// TestAStatusThatIsTooLargeIsTold: nothing begins, a person is told once what to do, and it goes on when there is room.
func TestAStatusThatIsTooLargeIsTold(t *testing.T) {
	rows := map[string]struct {
		room   int
		shows  bool
		whole  bool
		reason string
	}{
		"there is room to tell":           {3000, true, true, "all conditions, and status.error"},
		"there is room for no message":    {300, true, false, "a smaller status tells it"},
		"there is no room for any status": {-3000, false, false, "the event tells it"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			i := install(t)
			for range 3 {
				i.pass(v1beta1.KindFlinkDeployment, "demo")
				i.w.Settle()
			}
			began, _ := i.told("Suspended")
			i.merge("demo", map[string]any{"spec": map[string]any{"restartNonce": int64(7)}})
			i.w.Kube.ObjectLimit = kubesim.Size(i.resource()) + row.room
			for range 3 {
				i.w.Tap.Forget()
				if err := i.r.Run(t.Context(), demoKey, true); !fail.Is(err, fail.Invalid) {
					t.Fatalf("the pass answers %v: the event must not be delivered again", err)
				}
				if n := i.w.Tap.Count(wire.On("update", "flinkdeployments")); n < 1 || n > 3 {
					t.Errorf("%d writes of the status in one pass", n)
				}
			}
			told, message := i.told("ObjectTooLarge")
			if want := int64(1); told < want || (row.shows && told > want) || !strings.Contains(message, "shorten the spec") {
				t.Errorf("told %d times: %q", told, message)
			}
			if again, _ := i.told("Suspended"); row.shows && again > began+1 {
				t.Errorf("a stop that never began was told %d times", again-began)
			}
			reason, shown := i.condition(summary.Stalled)
			if (reason == fail.ReasonTooLarge) != row.shows || (row.whole && shown != message) {
				t.Errorf("stalled %q, %q; %s", reason, shown, row.reason)
			}
			if accepted, _ := i.condition(summary.SpecAccepted); row.shows && (accepted != "") != row.whole {
				t.Errorf("conditions %v; %s", i.resource().Object["status"], row.reason)
			}
			if _, open, _ := unstructured.NestedMap(i.resource().Object, "status", "intent"); open {
				t.Error("nothing may have begun")
			}
			i.w.Kube.ObjectLimit = 0
			i.pass(v1beta1.KindFlinkDeployment, "demo")
			if reason, _ := i.condition(summary.Stalled); reason != "" {
				t.Errorf("stalled %s although there is room", reason)
			}
			if after, _ := i.told("Suspended"); after <= began {
				t.Error("the stop that began is not told")
			}
		})
	}
}
