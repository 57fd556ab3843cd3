package execute

import (
	"maps"
	"slices"
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Executor is a scaling executor of the user's own that was asked, or is asked here.
type Executor struct {
	// Name and Class are those of its options.
	Name, Class string
	// Priority orders executors, the lowest first.
	Priority int
	// Apply gives those of a proposal's changes, as the executors before left them, that the executor allows. None at all
	// holds the scaling back.
	Apply func(Proposal, []Change) ([]Change, error)
}

// Decision is the end of a cycle.
type Decision struct {
	Proposal
	// Applied are the changes that are carried out. They are none unless the outcome is OutcomeScaled.
	Applied []Change
}

// Scaled reports whether the job is scaled.
func (d Decision) Scaled() bool { return d.Outcome == OutcomeScaled }

// Decide proposes, asks the executors in their order, and commits.
func Decide(in Input, executors []Executor) (Decision, error) {
	p, err := Propose(in)
	if err != nil || p.Outcome != OutcomeReady {
		return Decision{Proposal: p}, err
	}
	ordered := slices.Clone(executors)
	slices.SortStableFunc(ordered, func(a, b Executor) int { return a.Priority - b.Priority })
	changes := p.Changes
	for _, e := range ordered {
		if changes, err = e.Apply(p, slices.Clone(changes)); err != nil {
			return Decision{Proposal: p}, err
		}
		if len(changes) == 0 {
			return Veto(in, p, e), nil
		}
	}
	return Commit(in, p, changes)
}

// Veto ends a cycle that an executor held back.
func Veto(in Input, p Proposal, by Executor) Decision {
	p.Outcome = OutcomeVetoed
	p.Events = append(slices.Clone(p.Events), model.Event{
		Type: model.EventWarning, Reason: model.ReasonVetoed,
		Message: "Scaling decision vetoed by scaling custom executor instance '" + by.Name + "' (class=" + by.Class + ").",
		Key:     model.ReasonVetoed + ":" + by.Name, Suppressed: true, Interval: in.Options.EventInterval,
	})
	return Decision{Proposal: p}
}

// Commit carries a proposal out with the changes that the executors allowed, if there is room for those: the state is
// what is stored before anything is applied.
//
//	stored              becomes
//	scaling history     with the changes
//	restarts            with one whose duration is not known yet, in place of one of the same time
//	overrides           the parallelism of all vertices, new and old
//	tuned options       those recommended, or none when tuning is off
//	delayed scale downs none
func Commit(in Input, p Proposal, changes []Change) (Decision, error) {
	p.Events = slices.Clone(p.Events)
	if err := in.resources(&p, changes); err != nil || p.Outcome != OutcomeReady {
		return Decision{Proposal: p}, err
	}
	p.Outcome = OutcomeScaled
	p.Events = append(p.Events, p.enabledReport(changes))
	state := p.State
	state.History = make(map[string][]model.Scaling, len(in.History))
	maps.Copy(state.History, in.History)
	state.Overrides = make(map[string]string, len(p.Metrics))
	for vertex, evaluated := range p.Metrics {
		state.Overrides[vertex] = strconv.Itoa(model.Int(evaluated.Current(model.Parallelism)))
	}
	for _, c := range changes {
		state.History[c.Vertex] = append(slices.Clone(state.History[c.Vertex]), model.Scaling{
			Time: in.Now, Current: c.Current, New: c.New, Metrics: maps.Clone(p.Metrics[c.Vertex]),
		})
		state.Overrides[c.Vertex] = strconv.Itoa(c.New)
	}
	state.Restarts = slices.DeleteFunc(slices.Clone(in.Restarts), func(r model.Restart) bool {
		return r.Time.Equal(in.Now)
	})
	state.Restarts = append(state.Restarts, model.Restart{Time: in.Now})
	state.Config = &model.ConfigChanges{}
	if p.Tuning != nil && in.Options.Tuning {
		state.Config = p.Tuning
	}
	state.Delayed = map[string]model.DelayedScaleDown{}
	p.State = state
	return Decision{Proposal: p, Applied: changes}, nil
}
