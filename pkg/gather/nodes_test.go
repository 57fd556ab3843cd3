package gather

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestALeadersLease(t *testing.T) {
	const renewed = `"acquireTime":"2026-11-21T12:00:00.000000Z","renewTime":"2026-11-21T12:00:00.500000Z",` +
		`"leaderTransitions":0}`
	at := time.Date(2026, 11, 21, 12, 0, 0, 500_000_000, time.UTC)
	rows := map[string]struct {
		text    string
		want    time.Time
		absent  bool
		unknown string
		reason  string
	}{
		"seconds": {
			`{"holderIdentity":"a","leaseDuration":15.000000000,` + renewed, at.Add(15 * time.Second), false, "",
			"Flink 1.20 and 2.2",
		},
		"a text": {
			`{"holderIdentity":"a","leaseDuration":"PT1M30S",` + renewed, at.Add(90 * time.Second), false, "",
			"another writer of durations",
		},
		"nobody holds it": {
			`{"holderIdentity":"","leaseDuration":15.0,` + renewed, time.Time{}, true, "", "given back by one that ended",
		},
		"no annotation": {"", time.Time{}, true, "", "nobody led yet"},
		"no JSON":       {"x", time.Time{}, false, "no lease", "nothing is concluded"},
		"no time": {
			`{"holderIdentity":"a","leaseDuration":15.0,"renewTime":"noon"}`, time.Time{}, false, `"noon"`,
			"nothing is concluded",
		},
		"no duration": {
			`{"holderIdentity":"a","leaseDuration":{},` + renewed, time.Time{}, false, "leaseDuration",
			"nothing is concluded",
		},
		"a missing duration": {
			`{"holderIdentity":"a",` + renewed, time.Time{}, false, "leaseDuration", "nothing is concluded",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{}}
			if row.text != "" {
				u.SetAnnotations(map[string]string{leaderAnnotation: row.text})
			}
			got := leaderUntil(u)
			until, there := got.Get()
			if there != (row.unknown == "" && !row.absent) || got.IsAbsent() != row.absent || !until.Equal(row.want) ||
				!strings.Contains(got.Why(), row.unknown) {
				t.Errorf("got %s, there %t, absent %t, because %q: %s", until, there, got.IsAbsent(), got.Why(), row.reason)
			}
		})
	}
}

func TestANodeAnswers(t *testing.T) {
	node := func(ready string, taints ...any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Node", "spec": map[string]any{"taints": taints},
			"status": map[string]any{"conditions": []any{
				map[string]any{"type": "MemoryPressure", "status": "True"}, map[string]any{"type": "Ready", "status": ready},
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
		if got := observe(row.node, true, nil, answers); got != plan.Present(row.want) {
			t.Errorf("%s: got %+v, want %t", name, got, row.want)
		}
	}
}
