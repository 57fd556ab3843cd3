package collect

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Input is what a collection reads.
type Input struct {
	// Options are those of the job.
	Options model.Options
	// Now is the time of the cycle.
	Now time.Time
	// State is what is stored. It is not changed.
	State model.State
	// Observed is what Flink answered.
	Observed Observation
}

// Result is what a collection gives.
type Result struct {
	// State is what is to be stored, also beside an error: what the cycle did until then.
	State model.State
	// Topology is that of the job.
	Topology model.Topology
	// Continue tells that there are samples enough to evaluate. Full tells that the window is full, so that may be acted.
	Continue, Full bool
	// Excluded are the vertices that are not scaled in this cycle: those of the options, the finished ones, and those
	// without a busy time.
	Excluded []string
	// History are the scalings that still count.
	History map[string][]model.Scaling
	// RestartTime is the time that a restart is expected to take. It counts only with Continue.
	RestartTime time.Duration
}

// Collect adds a sample to the window. It returns ErrNotReady for a job that lacks a metric while it stabilizes, and
// another error for one that lacks it later.
func Collect(in Input) (Result, error) {
	r := Result{State: in.State, Excluded: slices.Clone(in.Options.Excluded)}
	job := in.Observed.Job
	if n := r.State.Samples; len(n) > 0 && job.Running.After(n[0].Time) {
		r.State.Samples = nil // the job started again: what was measured is of another one
	}
	vertices := slices.Clone(job.Vertices)
	for i := range vertices {
		if v := &vertices[i]; v.IsSource() {
			v.SourcePartitions = Partitions(in.Observed.Vertices[v.ID].Names)
		}
	}
	r.topology(vertices, in.Options, in.Now)
	stable := job.Running.Add(in.Options.Stabilization)
	full := in.Now.Add(in.Options.Window)
	if since := r.State.Samples.Since(stable); len(since) > 0 {
		full = since[0].Time.Add(in.Options.Window)
	}
	sample, err := r.sample(in)
	var missing *MissingMetricError
	if errors.As(err, &missing) && in.Now.Before(stable) {
		return r, fmt.Errorf("%w: %w", ErrNotReady, err)
	}
	if err != nil {
		return r, err
	}
	r.State.Samples = r.State.Samples.With(sample)
	if !in.Now.Before(full) {
		r.Full = true
		r.State.Samples = r.State.Samples.Since(in.Now.Add(-in.Options.Window))
	}
	r.restarts(job.Running, in.Options, in.Now)
	r.Continue = len(r.State.Samples) > 1
	return r, nil
}

// Taken is a collection whose samples were taken before.
type Taken struct {
	// Options are those of the job.
	Options model.Options
	// State is what is stored, with the samples that count, the newest last. It is not changed.
	State model.State
	// Running is when the job went to RUNNING last.
	Running time.Time
	// Vertices are those of its graph.
	Vertices []model.Vertex
	// Full tells that the window is full.
	Full bool
}

// Resume gives the result that Collect gave when it took the newest sample. There must be one.
func Resume(in Taken) Result {
	newest := in.State.Samples[len(in.State.Samples)-1]
	r := Result{State: in.State, Full: in.Full, Excluded: slices.Clone(in.Options.Excluded)}
	if r.Full {
		r.State.Samples = r.State.Samples.Since(newest.Time.Add(-in.Options.Window))
	}
	r.topology(in.Vertices, in.Options, newest.Time)
	for _, v := range r.Topology.Vertices {
		if math.IsNaN(newest.Vertices[v.ID].Get(model.Load)) {
			r.exclude(v.ID)
		}
	}
	r.restarts(in.Running, in.Options, newest.Time)
	r.Continue = len(r.State.Samples) > 1
	return r
}

// topology orders the graph, drops the history of vertices that are gone, and excludes finished ones.
func (r *Result) topology(vertices []model.Vertex, o model.Options, now time.Time) {
	r.Topology = model.MakeTopology(vertices)
	r.History = model.TrimHistory(r.State.History, now, o)
	gone := false
	for vertex := range r.History {
		if !r.Topology.Has(vertex) {
			delete(r.History, vertex)
			gone = true
		}
	}
	if gone {
		r.State.History = r.History
	}
	for _, v := range r.Topology.Vertices {
		if v.Finished {
			r.exclude(v.ID)
		}
	}
}

func (r *Result) exclude(vertex string) {
	if !slices.Contains(r.Excluded, vertex) {
		r.Excluded = append(r.Excluded, vertex)
	}
}

// sample computes the sample of this cycle.
func (r *Result) sample(in Input) (model.Sample, error) {
	selections := map[string]Selection{}
	for _, v := range r.Topology.Vertices {
		if v.Finished {
			continue
		}
		selection, err := Select(v, in.Observed.Vertices[v.ID].Names)
		if err != nil {
			return model.Sample{}, err
		}
		selections[v.ID] = selection
	}
	whole, err := global(in.Observed)
	if err != nil {
		return model.Sample{}, err
	}
	s := &sampler{options: in.Options, before: r.State.Samples}
	sample := model.Sample{Time: in.Now, Vertices: make(map[string]model.Metrics, len(selections)), Global: whole}
	for _, v := range r.Topology.Vertices {
		sample.Vertices[v.ID] = s.vertex(v, in.Observed.Vertices[v.ID], selections[v.ID])
	}
	for _, vertex := range s.noBusyTime {
		r.exclude(vertex)
	}
	return sample, nil
}

// restarts records how long the newest restart took, once the job runs as it was decided.
func (r *Result) restarts(running time.Time, o model.Options, now time.Time) {
	kept := model.TrimRestarts(r.State.Restarts, now, o)
	filled, changed := model.RecordRestart(kept, r.History, r.Topology, running)
	if changed {
		r.State.Restarts = filled
	}
	r.RestartTime = model.RestartTime(filled, o)
}
