package job

import (
	"maps"
	"time"
)

// ParallelismOf is what a vertex runs with, and WantedOf what it is asked to.
func (j *Job) ParallelismOf(vertex string) int { return j.parallelism(vertex, j.taken) }

// WantedOf is what a vertex is asked to run with.
func (j *Job) WantedOf(vertex string) int { return j.parallelism(vertex, j.Bounds) }

func (j *Job) parallelism(vertex string, by map[string]Bound) int {
	if bound, set := by[vertex]; set {
		return bound.Upper
	}
	if p, set := j.Overrides[vertex]; set {
		return p
	}
	return j.Parallelism
}

// Rescale has the tasks run by the resource requirements, given slots for them: those of a running job are restarted
// from the newest checkpoint, which is no failure, and RUNNING is entered anew. Until there are slots it runs as it
// did.
func (j *Job) Rescale(now time.Time) {
	if maps.Equal(j.Bounds, j.taken) {
		return
	}
	same := true
	for _, id := range j.Vertices() {
		same = same && j.WantedOf(id) == j.ParallelismOf(id)
	}
	j.taken = maps.Clone(j.Bounds)
	if same || j.State != Running || j.finishing != nil {
		return
	}
	j.abandon(now, "the job is rescaled")
	j.restore(now)
	j.enter(Restarting, now)
}
