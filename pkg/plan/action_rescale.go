package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds is the range of parallelism that a vertex of a job asks for.
type Bounds struct {
	// Lower is the least that it runs with, 1 or more.
	Lower int
	// Upper is the most.
	Upper int
}

// Rescale asks Flink for another parallelism of the vertices of a running job (PUT /jobs/:jobid/resource-requirements).
// Made twice it is the same request.
type Rescale struct {
	disruptive
	// JobID is the job's ID in Flink's form.
	JobID string
	// Endpoint is where its JobManager answers.
	Endpoint Endpoint
	// Vertices are all of the job, by hex ID.
	Vertices map[string]Bounds
}

func (a Rescale) String() string {
	texts := make([]string, 0, len(a.Vertices))
	for _, id := range slices.Sorted(maps.Keys(a.Vertices)) {
		texts = append(texts, fmt.Sprintf("%s %d-%d", id, a.Vertices[id].Lower, a.Vertices[id].Upper))
	}
	return "rescale job " + a.JobID + " to " + strings.Join(texts, ", ")
}
