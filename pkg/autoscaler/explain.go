package autoscaler

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/scale"
)

// Rules of a whole job that decide on a vertex, beside those of package scale.
const (
	// RuleExcluded is a vertex that is not scaled in this cycle: the options say so, it is finished, or its busy time is
	// not known.
	RuleExcluded scale.Rule = "VertexExcluded"
	// RuleWithinBounds is a vertex that would change, but no vertex of the job is outside of its utilisation bounds.
	RuleWithinBounds scale.Rule = "WithinUtilizationBounds"
	// RuleExecutor is a vertex that an executor of the user's own changed.
	RuleExecutor scale.Rule = "CustomExecutor"
	// RuleHeldBack is a vertex that would change, if the outcome for the job were another.
	RuleHeldBack scale.Rule = "HeldBack"
)

// Explanation says why a cycle decided as it did.
type Explanation struct {
	// Time is that of the cycle.
	Time time.Time `json:"time"`
	// Outcome is what came of it for the job.
	Outcome execute.Outcome `json:"outcome"`
	// Backlog tells that the job worked a backlog off, so that nothing was scaled down for its utilisation.
	Backlog bool `json:"backlog,omitempty"`
	// RestartSeconds is the time that a restart was expected to take.
	RestartSeconds float64 `json:"restartSeconds"`
	// Vertices are all of the job, in topological order.
	Vertices []VertexExplanation `json:"vertices"`
}

// VertexExplanation says why a vertex got its parallelism.
type VertexExplanation struct {
	// Vertex is its hex ID.
	Vertex string `json:"vertex"`
	// Current is its parallelism.
	Current int `json:"current"`
	// New is the parallelism that is carried out; Current when nothing is.
	New int `json:"new"`
	// Wanted is the parallelism that the rates ask for within the options' bounds; 0 was not reached.
	Wanted int `json:"wanted,omitempty"`
	// Aligned is Wanted after the alignment with key groups or source partitions; 0 was not reached.
	Aligned int `json:"aligned,omitempty"`
	// Rule is what decided.
	Rule scale.Rule `json:"rule"`
	// Outside tells that it is outside of its utilisation bounds.
	Outside bool `json:"outside,omitempty"`
	// Seen are the figures that it was decided by.
	Seen Seen `json:"seen"`
	// Needed is the rate that the target utilisation asks for.
	Needed model.Rate `json:"needed"`
	// Predicted is the rate that the aligned parallelism should reach.
	Predicted model.Rate `json:"predicted"`
	// Past is what came true of its last scaling; nil is none that still counts.
	Past *Past `json:"past,omitempty"`
}

// Seen are the evaluated metrics of a vertex. Rates are in records per second.
type Seen struct {
	// Load is the busy time as a share of 1.
	Load model.Rate `json:"load"`
	// Capacity is the true processing rate.
	Capacity model.Rate `json:"capacity"`
	// Target is the rate that comes in.
	Target model.Rate `json:"target"`
	// CatchUp is the rate that working the lag off takes besides.
	CatchUp model.Rate `json:"catchUp"`
	// Lag is the number of records that wait in front of a source.
	Lag model.Rate `json:"lag"`
	// UpBelow is the bound below which Capacity is too low.
	UpBelow model.Rate `json:"upBelow"`
	// DownAbove is the bound above which Capacity is too high.
	DownAbove model.Rate `json:"downAbove"`
}

// Past is a scaling of a vertex, with what was predicted and what came of it.
type Past struct {
	// Time is when it was decided.
	Time time.Time `json:"time"`
	// From is the parallelism before it.
	From int `json:"from"`
	// To is the parallelism after it.
	To int `json:"to"`
	// Before is the true processing rate before it.
	Before model.Rate `json:"before"`
	// Predicted is the rate that was expected of it.
	Predicted model.Rate `json:"predicted"`
	// Actual is the rate now.
	Actual model.Rate `json:"actual"`
}

// Explain explains the decision of a cycle. It counts for a Result with EndDecided only.
func Explain(at time.Time, r Result) Explanation {
	e := Explanation{
		Time: at, Outcome: r.Decision.Outcome, Backlog: r.Evaluated.Backlog,
		RestartSeconds: r.Collected.RestartTime.Seconds(),
	}
	for _, v := range r.Collected.Topology.Vertices {
		e.Vertices = append(e.Vertices, explainVertex(v, r))
	}
	return e
}

// JSON prints it on one line.
func (e Explanation) JSON() string {
	text, err := json.Marshal(e)
	if err != nil {
		return "" // all of its types can be printed
	}
	return string(text)
}

func explainVertex(v model.Vertex, r Result) VertexExplanation {
	m := r.Evaluated.Vertices[v.ID]
	x := VertexExplanation{
		Vertex: v.ID, Current: v.Parallelism, New: v.Parallelism, Rule: RuleExcluded, Seen: seen(m),
		Needed: model.Rate(model.NaN), Predicted: model.Rate(model.NaN), Past: past(r.Collected.History[v.ID], v, m),
	}
	i := slices.IndexFunc(r.Decision.Verdicts, func(d scale.Verdict) bool { return d.Vertex == v.ID })
	if i < 0 {
		if r.Decision.Outcome == execute.OutcomeMemoryPressure && !slices.Contains(r.Excluded, v.ID) {
			x.Rule = RuleHeldBack
		}
		return x
	}
	verdict := r.Decision.Verdicts[i]
	x.Wanted, x.Aligned, x.Outside = verdict.Steps.Wanted, verdict.Steps.Aligned, verdict.Outside
	x.Needed, x.Predicted = model.Rate(verdict.Steps.Capacity), model.Rate(verdict.Expected)
	x.New, x.Rule = applied(verdict, r.Decision)
	return x
}

// applied is the parallelism that is carried out for a vertex, and the rule that made it.
//
//	the vertex alone   outcome    the executors     carried out   rule
//	stays              -          -                 the current   that of the vertex
//	changes            Balanced   -                 the current   WithinUtilizationBounds
//	changes            Scaled     left it           the new       that of the vertex
//	changes            Scaled     changed it        theirs        CustomExecutor
//	changes            Scaled     took it out       the current   CustomExecutor
//	changes            others     -                 the current   HeldBack
func applied(v scale.Verdict, d execute.Decision) (int, scale.Rule) {
	switch {
	case !v.Changes():
		return v.Current, v.Steps.Rule
	case d.Outcome == execute.OutcomeBalanced:
		return v.Current, RuleWithinBounds
	case !d.Scaled():
		return v.Current, RuleHeldBack
	}
	for _, c := range d.Applied {
		switch {
		case c.Vertex != v.Vertex:
		case c.New == v.New:
			return c.New, v.Steps.Rule
		default:
			return c.New, RuleExecutor
		}
	}
	return v.Current, RuleExecutor
}

func seen(m model.Evaluation) Seen {
	return Seen{
		Load: model.Rate(m.Average(model.Load)), Capacity: model.Rate(m.Average(model.TrueProcessingRate)),
		Target: model.Rate(m.Average(model.TargetDataRate)), CatchUp: model.Rate(m.Current(model.CatchUpDataRate)),
		Lag: model.Rate(m.Current(model.Lag)), UpBelow: model.Rate(m.Current(model.ScaleUpThreshold)),
		DownAbove: model.Rate(m.Current(model.ScaleDownThreshold)),
	}
}

// past is what came true of the last scaling of a vertex, while it still has the parallelism that it was given.
func past(history []model.Scaling, v model.Vertex, m model.Evaluation) *Past {
	actual := m.Average(model.TrueProcessingRate)
	if len(history) == 0 || math.IsNaN(actual) {
		return nil
	}
	last := history[len(history)-1]
	if last.New != v.Parallelism {
		return nil
	}
	return &Past{
		Time: last.Time, From: last.Current, To: last.New, Before: model.Rate(last.Metrics.Average(model.TrueProcessingRate)),
		Predicted: model.Rate(last.Metrics.Current(model.ExpectedProcessingRate)), Actual: model.Rate(actual),
	}
}
