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
	// Plugins are those that can be asked; nil is none.
	Plugins Plugins
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
//	a plug-in was not asked about the newest sample   -                 NotAsked   how long a restart took
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
	r = in.consult(Input{
		Now: now, Config: in.Config, TaskManagerMemory: in.TaskManagerMemory, Schedule: in.schedule(),
	}, r, options).quiet(options)
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
