package autoscaler

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// A cycle in two functions. The one that looks takes a sample (Take); both decide by what is kept (Decide), the one
// that looks to know whether the other is needed, the other to store the decision and to carry it out. A decision has
// the time of the sample that it was made of: the same samples give the same decision, and what was decided of a sample
// is not decided again.

// The further ends of a cycle that Decide gives.
const (
	// EndNoSample is a job of which nothing is kept.
	EndNoSample End = "NoSample"
	// EndAlready is a decision that was stored already, of this sample or of a later one.
	EndAlready End = "AlreadyDecided"
	// EndNotTaken is a decision as it was stored already: the job does not run yet as it was decided.
	EndNotTaken End = "NotTakenYet"
)

// Stored is what a decision reads: nothing but what is stored.
type Stored struct {
	// Config is the effective configuration of the job, without what the autoscaler has set.
	Config conf.Config
	// State is what the Java autoscaler's keys hold. Its samples do not count.
	State model.State
	// Kept is what was measured.
	Kept samples.Kept
	// TaskManagerMemory is that of a TaskManager process, in bytes; at most 0 is not known.
	TaskManagerMemory int64
	// Room are the nodes that TaskManagers may go to; nil asks for no room, and there is. It is not changed: nothing is
	// reserved for the job before its pods are there.
	Room *capacity.View
	// Location is that of the clocks that excluded periods count on; nil is UTC.
	Location *time.Location
}

// Decide decides by what is kept. Of its result, State counts where Store is true: what it has besides the samples is
// to be stored before anything is applied.
//
//	kept                                              the decision      end        stored
//	no sample                                         -                 NoSample   -
//	decided of the newest sample, or later            -                 AlreadyDecided
//	the rest                                          as Run decides    as Run     a scaling, how long a restart took
//	the same, as it was decided before                the stored one    NotTakenYet
//	none can be taken any more                        -                 Failed     -
func Decide(in Stored) Result {
	r := decide(in)
	if newest, taken := in.Kept.Newest(); taken && in.Kept.Problem == "" {
		r.Events, r.Time = told(r.Events, in.Kept, newest.Time), newest.Time
	}
	return r
}

// decide is Decide with all events, be they told again or not.
func decide(in Stored) Result {
	options, err := model.ReadOptions(in.Config)
	state := in.State
	state.Samples, state.Delayed = in.Kept.Window, waiting(in)
	r := Result{State: state, Excluded: options.Excluded}
	if err == nil && in.Kept.Problem != "" {
		err = errors.New(in.Kept.Problem)
	}
	if err != nil {
		return r.failed(err).quiet(options)
	}
	newest, taken := in.Kept.Newest()
	if !taken {
		r.End = EndNoSample
		return r
	}
	if decided := lastDecided(in.State); !decided.Before(newest.Time) {
		r.End = EndAlready
		return r
	}
	r.Collected = collect.Resume(collect.Taken{
		Options: options, State: state, Running: in.Kept.Running, Vertices: in.Kept.Vertices,
		Full: in.Kept.Full(samples.TimingOf(options), newest.Time),
	})
	r.State, r.Excluded = r.Collected.State, r.Collected.Excluded
	known := len(r.State.Restarts) > 0 && r.State.Restarts[len(r.State.Restarts)-1].Known &&
		!in.State.Restarts[len(in.State.Restarts)-1].Known
	if !r.Collected.Continue {
		r.End, r.Store = EndFirstSample, known
		return r
	}
	now := newest.Time.UTC()
	if in.Location != nil {
		now = now.In(in.Location)
	}
	r = Input{
		Now: now, Config: in.Config, TaskManagerMemory: in.TaskManagerMemory, Schedule: in.schedule(),
	}.decide(r, options).quiet(options)
	r.Store = known || r.Decision.Scaled()
	r.State.History = lean(r.State.History)
	if r.End == EndDecided && r.Decision.Scaled() && maps.Equal(r.State.Overrides, in.State.Overrides) {
		r = Result{
			State: r.Collected.State, End: EndNotTaken, Store: known, Collected: r.Collected, Evaluated: r.Evaluated,
		}
	}
	return r
}

// schedule asks for room in a copy of the view; nil asks for none.
func (in Stored) schedule() func(capacity.Ask) bool {
	if in.Room == nil {
		return nil
	}
	view := in.Room.Clone()
	return view.Schedule
}

// LacksRoom reports whether a job is not scaled because the nodes have no room for its TaskManagers.
func (r Result) LacksRoom() bool {
	return r.End == EndDecided && r.Decision.Outcome == execute.OutcomeNoRoom
}

// lean are scalings with the metrics alone that are read again, by the Java autoscaler as well.
func lean(history map[string][]model.Scaling) map[string][]model.Scaling {
	if history == nil {
		return nil
	}
	kept := make(map[string][]model.Scaling, len(history))
	for vertex, scalings := range history {
		for _, s := range scalings {
			s.Metrics = maps.Clone(s.Metrics)
			maps.DeleteFunc(s.Metrics, func(m model.Metric, _ model.Evaluated) bool {
				return m != model.TrueProcessingRate && m != model.ExpectedProcessingRate
			})
			kept[vertex] = append(kept[vertex], s)
		}
	}
	return kept
}

// quiet has errors told again after a while only: the Java autoscaler tells them in each cycle.
func (r Result) quiet(o model.Options) Result {
	for i := range r.Events {
		if e := &r.Events[i]; e.Reason == model.ReasonError {
			e.Suppressed, e.Interval = true, o.EventInterval
		}
	}
	return r
}

// Full reports whether the window that is kept is full, and nothing was decided of it.
func (in Stored) Full(o model.Options) bool {
	newest, taken := in.Kept.Newest()
	return taken && lastDecided(in.State).Before(newest.Time) && in.Kept.Full(samples.TimingOf(o), newest.Time)
}

// lastDecided is the time of the newest decision that was stored; the zero time when there is none.
func lastDecided(s model.State) time.Time {
	if len(s.Restarts) == 0 {
		return time.Time{}
	}
	return s.Restarts[len(s.Restarts)-1].Time
}

// waiting are the scale downs that wait: those that were kept, else those that the Java autoscaler stored. A scaling
// ends all that began before it.
func waiting(in Stored) map[string]model.DelayedScaleDown {
	all := in.State.Delayed
	if in.Kept.Delayed != nil {
		all = in.Kept.Delayed
	}
	decided := lastDecided(in.State)
	still := maps.Clone(all)
	maps.DeleteFunc(still, func(_ string, d model.DelayedScaleDown) bool { return !d.FirstTrigger.After(decided) })
	return still
}

// told are the events that users are told of now: of those that are not told again for a while, the ones that what is
// kept has for its newest sample.
func told(events []model.Event, kept samples.Kept, now time.Time) []model.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e model.Event) bool {
		return e.Suppressed && !kept.Told[toldKey(e)].At.Equal(now)
	})
}

func toldKey(e model.Event) string {
	if e.Key == "" {
		return e.Reason
	}
	return e.Reason + " " + e.Key
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

// Take adds a sample to what is kept, and what follows from it for the scale downs that wait and for what users are
// told. It reports whether anything is to be kept anew: not before a sample is due, nor of a job that is not ready to
// be looked at, nor of an error that is kept already.
func Take(in Sampling) (samples.Kept, bool) {
	in.Now = in.Now.Truncate(time.Millisecond).UTC()
	options, err := model.ReadOptions(in.Config)
	kept := in.Kept
	if err == nil {
		if !kept.Due(samples.TimingOf(options), in.Now) {
			return kept, false
		}
		kept, err = in.sample(options)
	}
	switch {
	case errors.Is(err, collect.ErrNotReady):
		return in.Kept, false
	case err != nil:
		kept = in.Kept
		kept.Problem = err.Error()[:min(len(err.Error()), maxProblem)]
		return kept, kept.Problem != in.Kept.Problem
	}
	kept.Problem = ""
	stored := in.Stored
	stored.Kept = kept
	r := decide(stored)
	if !r.Decision.Scaled() { // a scaling ends them once it is stored, and until then it is decided by them again
		kept.Delayed = r.State.Delayed
	}
	kept.Told = tell(kept.Told, r.Events, options, in.Now)
	return kept, true
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
