package autoscaler

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
)

// Sampling is what a look at a running job reads.
type Sampling struct {
	Stored
	// Now is the time of the look.
	Now time.Time
	// Job is the ID of the job that Flink was asked about.
	Job string
	// Observed is what Flink answered.
	Observed collect.Observation
}

// Due reports whether a sample is due, or options that cannot be read are to be told.
func (in Sampling) Due() bool {
	options, err := model.ReadOptions(in.Config)
	return err != nil || in.Kept.Due(samples.TimingOf(options), in.Now)
}

// maxProblem bounds what is kept of an error, in bytes.
const maxProblem = 512

// Taken is what is kept after a look.
type Taken struct {
	samples.Kept
	// Changed reports whether it is to be kept anew: not before a sample is due, nor of a job that is not ready to be
	// looked at, nor of an error that is kept already.
	Changed bool
	// Asks is what a plug-in is to be asked about the sample before it is kept: see Answered. nil is nothing.
	Asks *plugin.Question
}

// Take adds a sample to what is kept, and what follows from it for the scale downs that wait and for what users are
// told.
func Take(in Sampling) Taken {
	in.Now = in.Now.Truncate(time.Millisecond).UTC()
	options, err := model.ReadOptions(in.Config)
	kept := in.Kept
	if err == nil {
		if !kept.Due(samples.TimingOf(options), in.Now) {
			return Taken{Kept: kept}
		}
		kept, err = in.sample(options)
	}
	switch {
	case errors.Is(err, collect.ErrNotReady):
		return Taken{Kept: in.Kept}
	case err != nil:
		kept = in.Kept
		kept.Problem = err.Error()[:min(len(err.Error()), maxProblem)]
		return Taken{Kept: kept, Changed: kept.Problem != in.Kept.Problem}
	}
	kept.Problem = ""
	return in.conclude(kept, options)
}

// Answered adds the answer of a plug-in to a sample that was taken.
func (in Sampling) Answered(t Taken, a plugin.Answer) Taken {
	options, err := model.ReadOptions(in.Config)
	if err != nil {
		return t // no sample was taken with such
	}
	t.Answers = append(slices.Clone(t.Answers), a)
	return in.conclude(t.Kept, options)
}

// conclude keeps what follows from a sample. While a plug-in is to be asked, nothing does.
func (in Sampling) conclude(kept samples.Kept, options model.Options) Taken {
	stored := in.Stored
	stored.Kept = kept
	r := decide(stored)
	if r.Asks != nil {
		return Taken{Kept: kept, Changed: true, Asks: r.Asks}
	}
	if !r.Decision.Scaled() { // a scaling ends them once it is stored, and until then it is decided by them again
		kept.Delayed = r.State.Delayed
	}
	newest, _ := kept.Newest()
	kept.Told = tell(kept.Told, r.Events, options, newest.Time)
	return Taken{Kept: kept, Changed: true}
}

// sample adds a sample to the window of this run of the job. Of another run nothing stays but the scale downs that
// wait; where nothing was kept yet, the samples of the Java autoscaler count if they are of this run.
func (in Sampling) sample(o model.Options) (samples.Kept, error) {
	kept, timing := in.Kept, samples.TimingOf(o)
	graph := model.MakeTopology(in.Observed.Job.Vertices)
	run := samples.Kept{
		Job: in.Job, Running: in.Observed.Job.Running.Truncate(time.Millisecond).UTC(), Busy: o.Busy,
		Vertices: graph.Vertices,
	}
	if !kept.Continues(run) {
		kept = run
		kept.Told, kept.Delayed = in.Kept.Told, waiting(in.Stored)
		theirs := in.State.Samples
		ofThisRun := len(theirs) > 0 && !run.Running.After(theirs[0].Time) && theirs.Complete(graph) == nil
		if in.Kept.Job == "" && ofThisRun {
			kept = kept.Seed(theirs, timing)
		}
	}
	state := in.State
	state.Samples = kept.Window
	c, err := collect.Collect(collect.Input{Options: o, Now: in.Now, State: state, Observed: in.Observed})
	if err != nil {
		return kept, err
	}
	kept.Vertices = slices.Clone(c.Topology.Vertices)
	for i := range kept.Vertices {
		kept.Vertices[i].Counters = model.Counters{}
	}
	return kept.With(c.State.Samples[len(c.State.Samples)-1], timing), nil
}

// tell notes what users are told of a sample, and forgets what may be told again.
func tell(
	before map[string]samples.Told, events []model.Event, o model.Options, now time.Time,
) map[string]samples.Told {
	after := maps.Clone(before)
	maps.DeleteFunc(after, func(_ string, t samples.Told) bool { return now.Sub(t.At) >= o.EventInterval })
	for _, e := range events {
		about := e.Labels[execute.LabelParallelism]
		if t, there := after[toldKey(e)]; !e.Suppressed || there && t.About == about {
			continue
		}
		if after == nil {
			after = map[string]samples.Told{}
		}
		after[toldKey(e)] = samples.Told{At: now, About: about}
	}
	return after
}
