package gather

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func TestALeadersLease(t *testing.T) {
	const renewed = `"acquireTime":"2026-11-21T12:00:00.000000Z","renewTime":"2026-11-21T12:00:00.500000Z",` +
		`"leaderTransitions":0}`
	const at = "2026-11-21T12:00:00.500000Z"
	rows := map[string]struct {
		text    string
		want    hadata.Lease
		absent  bool
		unknown string
		reason  string
	}{
		"seconds": {
			`{"holderIdentity":"a","leaseDuration":15.000000000,` + renewed,
			hadata.Lease{Holder: "a", Renewed: at, Lasts: 15 * time.Second}, false, "",
			"Flink 1.20 and 2.2",
		},
		"a text": {
			`{"holderIdentity":"a","leaseDuration":"PT1M30S",` + renewed,
			hadata.Lease{Holder: "a", Renewed: at, Lasts: 90 * time.Second}, false, "",
			"another writer of durations",
		},
		"nobody holds it": {
			`{"holderIdentity":"","leaseDuration":15.0,` + renewed, hadata.Lease{}, true, "",
			"given back by one that ended",
		},
		"no annotation": {"", hadata.Lease{}, true, "", "nobody led yet"},
		"no JSON":       {"x", hadata.Lease{}, false, "no lease", "nothing is concluded"},
		"no time": {
			`{"holderIdentity":"a","leaseDuration":15.0}`, hadata.Lease{}, false, "no renewTime", "nothing is concluded",
		},
		"a time in another form": {
			`{"holderIdentity":"a","leaseDuration":15.0,"renewTime":"noon"}`,
			hadata.Lease{Holder: "a", Renewed: "noon", Lasts: 15 * time.Second}, false, "",
			"that it changes is all that counts",
		},
		"no duration": {
			`{"holderIdentity":"a","leaseDuration":{},` + renewed, hadata.Lease{}, false, "leaseDuration",
			"nothing is concluded",
		},
		"a missing duration": {
			`{"holderIdentity":"a",` + renewed, hadata.Lease{}, false, "leaseDuration", "nothing is concluded",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{}}
			if row.text != "" {
				u.SetAnnotations(map[string]string{leaderAnnotation: row.text})
			}
			got := leader(u)
			lease, there := got.Get()
			if there != (row.unknown == "" && !row.absent) || got.IsAbsent() != row.absent || lease != row.want ||
				!strings.Contains(got.Why(), row.unknown) {
				t.Errorf("got %+v, there %t, absent %t, because %q: %s", lease, there, got.IsAbsent(), got.Why(), row.reason)
			}
		})
	}
}

func TestANodeAnswers(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	node := func(ready string, taints ...any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Node", "spec": map[string]any{"taints": taints},
			"status": map[string]any{"conditions": []any{
				map[string]any{"type": "MemoryPressure", "status": "True"}, map[string]any{"type": "Ready", "status": ready,
					"lastTransitionTime": "2026-11-21T11:59:00Z"},
			}},
		}}
	}
	unreachable := map[string]any{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
	other := map[string]any{"key": "dedicated", "effect": "NoSchedule"}
	rows := map[string]struct {
		node *unstructured.Unstructured
		want bool
	}{
		"ready": {node("True"), true}, "ready, with another taint": {node("True", other), true},
		"not ready":    {node("False"), false},
		"not heard of": {node("Unknown"), false}, "ready, marked unreachable": {node("True", unreachable), false},
		"without conditions": {
			&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Node"}}, false,
		},
	}
	for name, row := range rows {
		if got, err := answers(row.node, now); got != row.want || err != nil {
			t.Errorf("%s: got %t, %v, want %t", name, got, err, row.want)
		}
	}
	if got, err := answers(node("True"), now.Add(-31*time.Second)); got || err != nil {
		t.Errorf("ready for 29 s: got %t, %v: it has not told of all its pods yet", got, err)
	}
}

// A node that is ready answers while its kubelet renews its Lease, where that can be read.
func TestANodeWhoseLease(t *testing.T) {
	rows := map[string]struct {
		lease map[string]any
		fault *wire.Fault
		want  bool
	}{
		"was renewed 10 s ago":  {map[string]any{"renewTime": "2026-01-01T11:59:50.000000Z"}, nil, true},
		"was renewed 20 s ago":  {map[string]any{"renewTime": "2026-01-01T11:59:40.000000Z"}, nil, false},
		"is ahead of our clock": {map[string]any{"renewTime": "2026-01-01T12:00:30.000000Z"}, nil, true},
		"has no renewal":        {map[string]any{"holderIdentity": "node-1"}, nil, true},
		"is not there":          {nil, nil, true},
		"is forbidden":          {map[string]any{"renewTime": "2026-01-01T11:59:00.000000Z"}, &wire.Fault{Status: 403}, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			server := kubesim.New(t, kubesim.NewClock(), wire.New())
			if row.lease != nil {
				server.AddNamespace(kubesim.NodeLeases)
				u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "coordination.k8s.io/v1",
					"kind": "Lease", "metadata": map[string]any{"name": "node-1", "namespace": kubesim.NodeLeases},
					"spec": row.lease}}
				if _, err := server.Create(kubesim.Leases, u); err != nil {
					t.Fatal(err)
				}
			}
			if row.fault != nil {
				row.fault.Match = wire.On("get", "leases")
				server.Tap.Inject(*row.fault)
			}
			g := Gatherer{Kube: kube.New(server.Dynamic("gather")), Now: server.Clock.Now}
			if got := g.node(t.Context(), "node-1"); got != plan.Present(row.want) {
				t.Errorf("got %+v, want %t", got, row.want)
			}
		})
	}
}
