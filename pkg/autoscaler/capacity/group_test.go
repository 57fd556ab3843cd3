package capacity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const status = `Cluster-autoscaler status at 2024-03-01 00:00:00.0 +0000 UTC:
Cluster-wide:
  Health:      Healthy (ready=2 unready=0)

NodeGroups:
  Name:        workers
  Health:      Healthy (ready=1 unready=0 (resourceUnready=0) notStarted=0 longNotStarted=0 registered=1)
               CloudProvider: cloudProviderTarget=1 (minSize=1, maxSize=100)
  ScaleUp:     NoActivity (ready=1 cloudProviderTarget=1)

  Name:        others
  Health:      Healthy (ready=1 unready=0)
               CloudProvider: cloudProviderTarget=1 (minSize=0, maxSize=3)
`

func node(group string, cpu, memory float64) Node {
	return Node{Name: "n", Group: group, CPU: Resource{Allocatable: cpu}, Memory: Resource{Allocatable: memory}}
}

func TestNodeGroupsOfTheStatus(t *testing.T) {
	got, err := Groups(status)
	if want := map[string]int{"workers": 100, "others": 3}; err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
	for name, text := range map[string]string{
		"nothing": "", "no groups": "Health: Healthy", "a group twice": status + status,
		"a size beyond all sizes": "Name: a\nx\nmaxSize=99999999999999999999",
	} {
		if got, err := Groups(text); err == nil {
			t.Errorf("%s: %v and no error", name, got)
		}
	}
}

// Rows O14 and O15 of the specification: what fits, and that a try that failed reserves nothing.
func TestRoom(t *testing.T) {
	const gibibyte = 1 << 30
	ask := func(current, wanted int, cpu float64, memory int64) Ask {
		return Ask{Current: current, New: wanted, CPU: cpu, Memory: memory}
	}
	for name, row := range map[string]struct {
		view View
		asks []Ask
		fits []bool
	}{
		"no nodes": {View{}, []Ask{ask(0, 1, .5, 128)}, []bool{false}},
		"one, again, and one that goes": {
			View{Nodes: []Node{node("", .5, 128)}}, []Ask{ask(0, 1, .5, 128), ask(0, 1, .5, 128), ask(1, 1, .5, 128)},
			[]bool{true, false, true},
		},
		"ten": {View{Nodes: []Node{node("", 1, gibibyte)}}, []Ask{ask(0, 10, 1, gibibyte)}, []bool{false}},
		"a failed try": {
			View{Nodes: []Node{node("", 1, 10)}}, []Ask{ask(0, 2, 1, 10), ask(0, 1, 1, 10), ask(0, 1, 1, 10)},
			[]bool{false, true, false},
		},
		"ten, a group's": {
			View{Nodes: []Node{node("workers", 1, gibibyte)}}.Grown(map[string]int{"workers": 100}),
			[]Ask{ask(0, 10, 1, gibibyte), ask(0, 90, 1, gibibyte), ask(0, 1, 1, 1)}, []bool{true, true, false},
		},
		"a group of others": {
			View{Nodes: []Node{node("workers", 1, 10)}}.Grown(map[string]int{"others": 100}), []Ask{ask(0, 2, 1, 10)},
			[]bool{false},
		},
		"a group that is full": {
			View{Nodes: []Node{node("a", 1, 10), node("a", 1, 10)}}.Grown(map[string]int{"a": 1}), []Ask{ask(0, 3, 1, 10)},
			[]bool{false},
		},
	} {
		for i, a := range row.asks {
			if got := row.view.Schedule(a); got != row.fits[i] {
				t.Errorf("%s, call %d: fits %t", name, i, got)
			}
		}
	}
}
