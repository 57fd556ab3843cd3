package execute

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/scale"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/tuning"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/period"
)

// Input is what the decision on a job reads. Nothing of it is changed.
type Input struct {
	// Options are those of the job.
	Options model.Options
	// Config is the effective configuration of the job, without what the autoscaler has set.
	Config conf.Config
	// Now is the time of the cycle; excluded periods count on the clocks of its location.
	Now time.Time
	// RestartTime is the time that a restart is expected to take, see model.RestartTime.
	RestartTime time.Duration
	// Topology is that of the job.
	Topology model.Topology
	// Metrics is what was evaluated of it.
	Metrics model.EvaluatedMetrics
	// State is what is stored.
	State model.State
	// History are the scalings in State that still count.
	History map[string][]model.Scaling
	// Restarts are the restarts in State that still count.
	Restarts []model.Restart
	// Excluded are the vertices that are not scaled in this cycle, by hex ID.
	Excluded []string
	// TaskManagerMemory is that of a TaskManager process, in bytes; at most 0 is not known.
	TaskManagerMemory int64
	// Schedule reports whether the cluster has room. nil asks nobody, and there is.
	Schedule func(capacity.Ask) bool
	// Aligned are the answers of an alignment mode of the user's own, by hex ID; nil is none.
	Aligned map[string]int
}

// Change is a vertex that gets another parallelism.
type Change struct {
	// Vertex is its hex ID.
	Vertex string
	// Current and New are its parallelism before and after.
	Current, New int
}

// Proposal is what a job should become.
type Proposal struct {
	// Outcome is OutcomeReady where the executors are to be asked, and final otherwise.
	Outcome Outcome
	// Verdicts are the decisions on all vertices but the excluded ones, in topological order.
	Verdicts []scale.Verdict
	// Changes are the vertices that get another parallelism, in topological order.
	Changes []Change
	// Metrics are the evaluated ones with the recommended parallelism and the expected rates.
	Metrics map[string]model.Evaluation
	// Backlog tells that the job works a backlog off.
	Backlog bool
	// Tuning is what memory tuning recommends; nil is nothing. It is carried out with memory.tuning.enabled only.
	Tuning *model.ConfigChanges
	// Events are what a user should learn of.
	Events []model.Event
	// State is what is to be stored when nothing is scaled: scale downs that wait may differ.
	State model.State
}

// Propose decides up to where executors of the user's own are asked.
//
//	memory     a vertex        scaling.   now         this hour   outcome
//	pressure   out of bounds   enabled
//	yes        -               -          -           -           MemoryPressure
//	no         no              -          -           -           Balanced
//	no         yes             false      -           -           ScalingDisabled
//	no         yes             true       excluded    -           ExcludedPeriod
//	no         yes             true       otherwise   too often   ScalingsPerHour
//	no         yes             true       otherwise   allowed     Ready
func Propose(in Input) (Proposal, error) {
	p := Proposal{
		State: in.State, Metrics: make(map[string]model.Evaluation, len(in.Metrics.Vertices)), Backlog: in.Metrics.Backlog,
	}
	for vertex, evaluated := range in.Metrics.Vertices {
		p.Metrics[vertex] = maps.Clone(evaluated)
	}
	if pressed := in.memoryPressure(); pressed != nil {
		p.Outcome, p.Events = OutcomeMemoryPressure, []model.Event{*pressed}
		return p, nil
	}
	if err := in.verdicts(&p); err != nil {
		return p, err
	}
	if len(p.Changes) == 0 {
		p.Outcome = OutcomeBalanced
		return p, nil
	}
	for _, c := range p.Changes {
		p.Metrics[c.Vertex][model.RecommendedParallelism] = model.Now(float64(c.New))
	}
	outcome, err := in.switches(&p)
	p.Outcome = outcome
	return p, err
}

// verdicts decides on each vertex. When all that want to change are within their bounds, none does.
func (in Input) verdicts(p *Proposal) error {
	outside := false
	var changes []Change
	delayed, touched := maps.Clone(in.State.Delayed), false
	for _, v := range in.Topology.Vertices {
		evaluated, known := p.Metrics[v.ID]
		if !known || slices.Contains(in.Excluded, v.ID) {
			continue
		}
		verdict, err := scale.Vertex(in.ofVertex(v, evaluated))
		if err != nil {
			return err
		}
		p.Verdicts = append(p.Verdicts, verdict)
		p.Events = append(p.Events, verdict.Events...)
		if verdict.Steps.Aligned != verdict.Current && verdict.Steps.Aligned != 0 {
			evaluated[model.ExpectedProcessingRate] = model.Evaluated{Current: verdict.Expected, Average: model.NaN}
		}
		if verdict.Touched {
			touched, delayed = true, withDelay(delayed, verdict)
		}
		if verdict.Changes() {
			outside = outside || verdict.Outside
			changes = append(changes, Change{Vertex: v.ID, Current: verdict.Current, New: verdict.New})
		}
	}
	if touched {
		p.State.Delayed = delayed
	}
	if outside {
		p.Changes = changes
	}
	return nil
}

func withDelay(
	delayed map[string]model.DelayedScaleDown, v scale.Verdict,
) map[string]model.DelayedScaleDown {
	if v.Delayed == nil {
		delete(delayed, v.Vertex)
		return delayed
	}
	if delayed == nil {
		delayed = map[string]model.DelayedScaleDown{}
	}
	delayed[v.Vertex] = *v.Delayed
	return delayed
}

func (in Input) ofVertex(v model.Vertex, evaluated model.Evaluation) scale.Input {
	one := scale.Input{
		Options: in.Options, Now: in.Now, RestartTime: in.RestartTime, Vertex: v.ID, Keyed: v.IsKeyed(),
		Metrics: evaluated, History: in.History[v.ID],
	}
	if delayed, waits := in.State.Delayed[v.ID]; waits {
		one.Delayed = &delayed
	}
	if aligned, answered := in.Aligned[v.ID]; answered {
		one.Aligned = &aligned
	}
	return one
}

// switches are those with which a user keeps the autoscaler from acting. He is told what it would do.
func (in Input) switches(p *Proposal) (Outcome, error) {
	if !in.Options.ScalingEnabled {
		p.Events = append(p.Events, in.disabledReport(p, key.AutoscalerScalingEnabled.Key, "false"))
		return OutcomeDisabled, nil
	}
	excluded, err := period.Excluded(in.Options.ExcludedPeriods, in.Now)
	if err != nil {
		return OutcomeUnknown, err
	}
	if excluded {
		text := javaList(in.Options.ExcludedPeriods)
		p.Events = append(p.Events, in.disabledReport(p, key.AutoscalerExcludedPeriods.Key, text))
		return OutcomeExcludedPeriod, nil
	}
	if in.tooOften() {
		text := strconv.Itoa(in.Options.MaxPerHour)
		p.Events = append(p.Events, in.disabledReport(p, key.AutoscalerMaxScalingsPerHour.Key, text))
		return OutcomeTooOften, nil
	}
	return OutcomeReady, nil
}

// tooOften reports whether the job was scaled as often as it may be in the hour before now.
func (in Input) tooOften() bool {
	scalings := 0
	for _, r := range in.Restarts {
		if in.Now.Sub(r.Time) < time.Hour {
			scalings++
		}
	}
	return in.Options.MaxPerHour > 0 && scalings >= in.Options.MaxPerHour
}

// changed are the new parallelisms, by hex ID.
func changed(changes []Change) map[string]int {
	changed := make(map[string]int, len(changes))
	for _, c := range changes {
		changed[c.Vertex] = c.New
	}
	return changed
}

// tune asks for the memory that TaskManagers need, and tells the user.
func (in Input) tune(p *Proposal, changes []Change) error {
	recommended, err := tuning.Recommend(tuning.Input{
		Options: in.Options, Config: in.Config, Memory: in.TaskManagerMemory, Topology: in.Topology,
		Changed: changed(changes), Global: in.Metrics.Global,
	})
	if err != nil || recommended == nil {
		return err
	}
	p.Tuning = recommended
	p.Events = append(p.Events, tuning.Event(*recommended, in.Options))
	return nil
}
