package model

import (
	"slices"
	"strings"
)

// ShipStrategy says how records get from one vertex to the next.
type ShipStrategy string

// The ship strategies of Flink's job plan that the autoscaler tells apart.
const (
	ShipUnknown   ShipStrategy = "UNKNOWN"
	ShipHash      ShipStrategy = "HASH"
	ShipRebalance ShipStrategy = "REBALANCE"
	ShipRescale   ShipStrategy = "RESCALE"
	ShipForward   ShipStrategy = "FORWARD"
	ShipCustom    ShipStrategy = "CUSTOM"
	ShipBroadcast ShipStrategy = "BROADCAST"
	ShipGlobal    ShipStrategy = "GLOBAL"
	ShipShuffle   ShipStrategy = "SHUFFLE"
)

// ParseShipStrategy reads the text of a job plan, in any case. What is not known is ShipUnknown.
func ParseShipStrategy(text string) ShipStrategy {
	strategy := ShipStrategy(strings.ToUpper(text))
	switch strategy {
	case ShipHash, ShipRebalance, ShipRescale, ShipForward, ShipCustom, ShipBroadcast, ShipGlobal, ShipShuffle:
		return strategy
	default:
		return ShipUnknown
	}
}

// Edge is one end of a connection between two vertices.
type Edge struct {
	// Vertex is the hex ID of the vertex at the other end.
	Vertex string
	// Ship says how records get across.
	Ship ShipStrategy
}

// Counters are the figures of a vertex in the answer of GET /jobs/{jid}, summed over its subtasks.
type Counters struct {
	// RecordsIn and RecordsOut are read-records and write-records.
	RecordsIn, RecordsOut float64
	// BusyTime is accumulated-busy-time in ms; NaN when Flink does not report it (before 1.16).
	BusyTime float64
}

// Vertex is one vertex of a running job.
type Vertex struct {
	// ID is its 32 hex digits.
	ID string
	// Parallelism is that of the job plan.
	Parallelism int
	// MaxParallelism is the number of its key groups.
	MaxParallelism int
	// SourcePartitions is the number of partitions that a source reads; 0 is not known, or no source.
	SourcePartitions int
	// Inputs are the vertices that it reads from, each once; empty for a source.
	Inputs []Edge
	// SlotSharingGroup is the ID of the group; empty where Flink does not report it.
	SlotSharingGroup string
	// Finished tells that all its subtasks have ended.
	Finished bool
	// Counters are its figures; zero when it is finished.
	Counters Counters
}

// IsSource reports whether the vertex has no inputs.
func (v Vertex) IsSource() bool { return len(v.Inputs) == 0 }

// IsKeyed reports whether an input is partitioned by key, so that key groups are what is spread over subtasks.
func (v Vertex) IsKeyed() bool {
	return slices.ContainsFunc(v.Inputs, func(e Edge) bool { return e.Ship == ShipHash })
}

// Topology is the graph of a running job.
type Topology struct {
	// Vertices are in topological order: by level, and by ID within one.
	Vertices []Vertex

	byID    map[string]int
	outputs map[string][]Edge
}

// MakeTopology orders the vertices of a job. Inputs from vertices that are not among them do not count.
func MakeTopology(vertices []Vertex) Topology {
	t := Topology{byID: make(map[string]int, len(vertices)), outputs: make(map[string][]Edge, len(vertices))}
	present, open := map[string]bool{}, map[string]int{}
	for _, v := range vertices {
		present[v.ID] = true
	}
	rest := make([]Vertex, len(vertices))
	for i, v := range vertices {
		v.Inputs = slices.DeleteFunc(slices.Clone(v.Inputs), func(e Edge) bool { return !present[e.Vertex] })
		rest[i], open[v.ID] = v, len(v.Inputs)
	}
	slices.SortStableFunc(rest, func(a, b Vertex) int { return strings.Compare(a.ID, b.ID) })
	for _, v := range rest {
		for _, in := range v.Inputs {
			t.outputs[in.Vertex] = append(t.outputs[in.Vertex], Edge{Vertex: v.ID, Ship: in.Ship})
		}
	}
	for len(rest) > 0 {
		level, later := nextLevel(rest, open)
		for _, v := range level {
			for _, out := range t.outputs[v.ID] {
				open[out.Vertex]--
			}
		}
		t.Vertices, rest = append(t.Vertices, level...), later
	}
	for i, v := range t.Vertices {
		t.byID[v.ID] = i
	}
	return t
}

// nextLevel splits the vertices that wait for no input from the others. In a circle, which Flink's plans do not have,
// all that is left is one level.
func nextLevel(rest []Vertex, open map[string]int) (level, later []Vertex) {
	for _, v := range rest {
		if open[v.ID] <= 0 {
			level = append(level, v)
		} else {
			later = append(later, v)
		}
	}
	if len(level) == 0 {
		return rest, nil
	}
	return level, later
}

// Get finds a vertex.
func (t Topology) Get(id string) (Vertex, bool) {
	i, ok := t.byID[id]
	if !ok {
		return Vertex{}, false
	}
	return t.Vertices[i], true
}

// Has reports whether a vertex is part of the job.
func (t Topology) Has(id string) bool {
	_, ok := t.byID[id]
	return ok
}

// Outputs are the vertices that read from a vertex, by ID.
func (t Topology) Outputs(id string) []Edge { return t.outputs[id] }

// SlotSharingGroups are the groups that the vertices report, each with the IDs of its vertices.
func (t Topology) SlotSharingGroups() map[string][]string {
	groups := map[string][]string{}
	for _, v := range t.Vertices {
		if v.SlotSharingGroup != "" {
			groups[v.SlotSharingGroup] = append(groups[v.SlotSharingGroup], v.ID)
		}
	}
	return groups
}
