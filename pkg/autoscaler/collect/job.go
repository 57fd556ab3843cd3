package collect

import (
	"errors"
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// ErrNotReady is a job that cannot be looked at yet. The cycle ends without an event, and nothing is stored.
var ErrNotReady = errors.New("the job is not ready to be looked at")

// Job is a running job.
type Job struct {
	// Running is when it went to RUNNING last, by the JobManager's clock.
	Running time.Time
	// Vertices are those of its plan, without the number of source partitions.
	Vertices []model.Vertex
}

// Details are what counts in the answer of GET /jobs/{jid}.
type Details struct {
	// Running is timestamps.RUNNING; nil where it is missing. Flink says 1970 for a job that never ran.
	Running *time.Time
	// Nodes are plan.nodes; none while the job is set up.
	Nodes []Node
	// Vertices are vertices.
	Vertices []VertexDetails
}

// Node is a vertex in the plan.
type Node struct {
	// ID is its hex ID.
	ID string
	// Parallelism is the number of its subtasks.
	Parallelism int
	// Inputs are the edges into it, in Flink's order; several may come from one vertex.
	Inputs []model.Edge
}

// VertexDetails is a vertex in the list of vertices.
type VertexDetails struct {
	// ID is its hex ID.
	ID string
	// MaxParallelism is the number of its key groups.
	MaxParallelism int
	// SlotSharingGroup is the ID of its group; empty where Flink does not report it.
	SlotSharingGroup string
	// Status is Flink's ExecutionState over all subtasks.
	Status string
	// Counters are its figures.
	Counters model.Counters
}

// MakeJob puts a job together. It returns ErrNotReady for one whose plan has no nodes yet. Several edges between the
// same two vertices count as one, the last. The figures of a finished vertex count as zero.
func MakeJob(d Details) (Job, error) {
	if d.Running == nil {
		return Job{}, errors.New("the details of the job have no time of RUNNING")
	}
	if len(d.Nodes) == 0 {
		return Job{}, fmt.Errorf("%w: its plan has no vertices", ErrNotReady)
	}
	infos := make(map[string]VertexDetails, len(d.Vertices))
	for _, info := range d.Vertices {
		infos[info.ID] = info
	}
	job := Job{Running: *d.Running}
	for _, node := range d.Nodes {
		info := infos[node.ID]
		v := model.Vertex{
			ID: node.ID, Parallelism: node.Parallelism, MaxParallelism: info.MaxParallelism,
			SlotSharingGroup: info.SlotSharingGroup, Finished: info.Status == "FINISHED", Counters: info.Counters,
		}
		for _, in := range node.Inputs {
			v.Inputs = withEdge(v.Inputs, in)
		}
		if v.Finished {
			v.Counters = model.Counters{}
		}
		job.Vertices = append(job.Vertices, v)
	}
	return job, nil
}

func withEdge(edges []model.Edge, e model.Edge) []model.Edge {
	for i := range edges {
		if edges[i].Vertex == e.Vertex {
			edges[i] = e
			return edges
		}
	}
	return append(edges, e)
}
