package tuning

import (
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// buffers are the options of Flink's network stack.
type buffers struct {
	// perChannel are the exclusive buffers of a channel, floating those of a gate besides.
	perChannel, floating int
}

// network is the memory for the buffers of all edges of the job with the new parallelism, in bytes, as if each slot
// held a subtask of every vertex.
func (in Input) network() (int64, error) {
	perChannel, err := in.Config.Int(key.BuffersPerChannel)
	if err != nil {
		return 0, err
	}
	floating, err := in.Config.Int(key.FloatingBuffersPerGate)
	if err != nil {
		return 0, err
	}
	segment, err := in.Config.Memory(key.MemorySegmentSize)
	if err != nil {
		return 0, err
	}
	b := buffers{perChannel: perChannel, floating: floating}
	segments := 0
	for _, v := range in.Topology.Vertices {
		for _, edges := range [][]model.Edge{v.Inputs, in.Topology.Outputs(v.ID)} {
			for _, e := range edges {
				segments += b.segments(in.parallelism(v.ID), in.parallelism(e.Vertex), e.Ship)
			}
		}
	}
	return int64(in.Options.SlotsPerTaskManager) * segment * int64(segments), nil
}

func (in Input) parallelism(vertex string) int {
	if parallelism, changes := in.Changed[vertex]; changes {
		return parallelism
	}
	v, _ := in.Topology.Get(vertex)
	return v.Parallelism
}

// segments are the buffers of one subtask for one edge to another vertex.
//
//	ship strategy   parallelism   channels
//	FORWARD         equal         1
//	FORWARD         different     as many as the others by the own, rounded up
//	RESCALE         -             as many as the others by the own, rounded up
//	otherwise       -             one to each of the others
func (b buffers) segments(own, other int, ship model.ShipStrategy) int {
	channels := other
	switch {
	case ship == model.ShipForward && own == other:
		channels = 1
	case ship == model.ShipForward, ship == model.ShipRescale:
		channels = (other + own - 1) / own
	}
	return channels*b.perChannel + b.floating
}
