package model

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func ids(vertices []Vertex) (list []string) {
	for _, v := range vertices {
		list = append(list, v.ID)
	}
	return list
}

func from(names ...string) (edges []Edge) {
	for _, name := range names {
		edges = append(edges, Edge{Vertex: name, Ship: ShipHash})
	}
	return edges
}

func TestVerticesAreOrderedByLevel(t *testing.T) {
	for name, row := range map[string]struct {
		vertices []Vertex
		want     []string
	}{
		"a chain": {
			[]Vertex{{ID: "c", Inputs: from("b")}, {ID: "b", Inputs: from("a")}, {ID: "a"}}, []string{"a", "b", "c"},
		},
		"two sources": {
			[]Vertex{{ID: "z"}, {ID: "b", Inputs: from("a", "z")}, {ID: "a"}}, []string{"a", "z", "b"},
		},
		"the long way": {
			[]Vertex{{ID: "a"}, {ID: "b", Inputs: from("a", "c")}, {ID: "c", Inputs: from("a")}}, []string{"a", "c", "b"},
		},
		"a foreign edge": {[]Vertex{{ID: "a", Inputs: from("gone")}}, []string{"a"}},
		"a circle": {
			[]Vertex{{ID: "a"}, {ID: "b", Inputs: from("c", "a")}, {ID: "c", Inputs: from("b")}}, []string{"a", "b", "c"},
		},
		"nothing": {nil, nil},
	} {
		if got := ids(MakeTopology(row.vertices).Vertices); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

// Whatever the graph, each vertex is there once, sources stand before what reads from them, and the order of the input
// makes no difference.
func TestTopologyOfAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		var vertices []Vertex
		for i := range n {
			v := Vertex{ID: string(rune('a' + i))}
			for j := range i {
				if rapid.Bool().Draw(t, "edge") {
					v.Inputs = append(v.Inputs, Edge{Vertex: string(rune('a' + j)), Ship: ShipForward})
				}
			}
			vertices = append(vertices, v)
		}
		topology := MakeTopology(rapid.Permutation(vertices).Draw(t, "order"))
		if got := ids(MakeTopology(vertices).Vertices); !slices.Equal(got, ids(topology.Vertices)) || len(got) != n {
			t.Fatalf("%v and %v", got, ids(topology.Vertices))
		}
		seen := map[string]bool{}
		for _, v := range topology.Vertices {
			for _, in := range v.Inputs {
				if !seen[in.Vertex] {
					t.Fatalf("%s stands before its input %s", v.ID, in.Vertex)
				}
				if !slices.ContainsFunc(topology.Outputs(in.Vertex), func(e Edge) bool { return e.Vertex == v.ID }) {
					t.Fatalf("%s is no output of %s", v.ID, in.Vertex)
				}
			}
			seen[v.ID] = true
		}
	})
}
