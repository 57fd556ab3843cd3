package gather

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// fleet answers as an API server with nodes does, one of them in each page.
type fleet struct {
	Reader
	nodes, metrics []map[string]any
	autoscaler     string
	failure        error
	lists          int
}

func (f *fleet) List(_ context.Context, q kube.Query) (*unstructured.UnstructuredList, error) {
	f.lists++
	all := f.nodes
	if q.Resource == kube.NodeMetrics {
		all = f.metrics
	}
	at := len(q.Continue)
	list := &unstructured.UnstructuredList{}
	if at < len(all) {
		list.Items = []unstructured.Unstructured{{Object: all[at]}}
	}
	if at+1 < len(all) {
		list.SetContinue(q.Continue + "x")
	}
	return list, f.failure
}

func (f *fleet) Get(context.Context, kube.Object) (*unstructured.Unstructured, bool, error) {
	u := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"status": f.autoscaler}}}
	return u, f.autoscaler != "", nil
}

func node(name, group, cpu, memory string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": name, "labels": map[string]any{capacity.GroupLabel: group}},
		"status":   map[string]any{"allocatable": map[string]any{"cpu": cpu, "memory": memory}},
	}
}

func usage(name, cpu, memory string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": name}, "usage": map[string]any{"cpu": cpu, "memory": memory},
	}
}

func TestTheRoomOfNodes(t *testing.T) {
	resource := func(allocatable, used float64) capacity.Resource {
		return capacity.Resource{Allocatable: allocatable, Used: used}
	}
	a := capacity.Node{Name: "a", Group: "workers", CPU: resource(2, .25), Memory: resource(4<<30, 1<<30)}
	b := capacity.Node{Name: "b", CPU: resource(1, 1), Memory: resource(1e9, 5)}
	empty := capacity.Node{Group: "workers", CPU: resource(2, 0), Memory: resource(4<<30, 0)}
	nodes := []map[string]any{node("a", "workers", "2", "4Gi"), node("b", "", "1000m", "1G")}
	both := []map[string]any{usage("a", "250m", "1Gi"), usage("b", "1", "5")}
	for name, row := range map[string]struct {
		fleet fleet
		want  []capacity.Node
		why   string
	}{
		"two nodes":                {fleet{nodes: nodes, metrics: both}, []capacity.Node{a, b}, ""},
		"one that nobody measured": {fleet{nodes: nodes, metrics: both[1:]}, []capacity.Node{b}, ""},
		"none":                     {fleet{}, nil, ""},
		"a group may grow": {
			fleet{nodes: nodes, metrics: both, autoscaler: "Name: workers\nx\nmaxSize=2"}, []capacity.Node{a, b, empty}, "",
		},
		"no group":   {fleet{nodes: nodes, metrics: both, autoscaler: "Healthy"}, nil, "names no node group"},
		"nobody may": {fleet{failure: errors.New("nodes is forbidden")}, nil, "nodes is forbidden"},
		"no such value": {
			fleet{nodes: []map[string]any{node("a", "", "two", "1")}, metrics: both}, nil, "node a: cpu \"two\"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			room := Room{Kube: &row.fleet, Now: time.Now}
			seen := room.Look(t.Context())
			view, known := seen.Get()
			if known != (row.why == "") || !strings.Contains(seen.Why(), row.why) {
				t.Errorf("known %t (%s), want %q", known, seen.Why(), row.why)
			}
			if diff := cmp.Diff(row.want, view.Nodes); known && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What was read counts for the interval, for everybody, and a try changes nothing of it. A failure is asked anew.
func TestTheRoomIsReadOnce(t *testing.T) {
	f := &fleet{nodes: []map[string]any{node("a", "", "1", "1Gi")}, metrics: []map[string]any{usage("a", "0", "0")}}
	now := time.Unix(1000, 0)
	room := Room{Kube: f, Interval: time.Minute, Now: func() time.Time { return now }}
	for _, step := range []struct {
		after time.Duration
		fails bool
		lists int
	}{{0, true, 1}, {0, false, 3}, {59 * time.Second, false, 3}, {time.Second, false, 5}} {
		now, f.failure = now.Add(step.after), nil
		if step.fails {
			f.failure = errors.New("not now")
		}
		view, known := room.Look(t.Context()).Get()
		if known == step.fails || f.lists != step.lists {
			t.Errorf("after %s: known %t, %d lists, want %d", step.after, known, f.lists, step.lists)
		}
		if known && !view.Schedule(capacity.Ask{New: 1, CPU: 1, Memory: 1}) {
			t.Errorf("after %s: there is no room", step.after)
		}
	}
}
