package scale

import (
	"fmt"
	"math"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/evaluate"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Input is what the decision on a vertex reads.
type Input struct {
	// Options are those of the job.
	Options model.Options
	// Now is the time of the cycle.
	Now time.Time
	// RestartTime is the time that a restart is expected to take, see model.RestartTime.
	RestartTime time.Duration
	// Vertex is its hex ID.
	Vertex string
	// Keyed tells that an input of it is partitioned by key.
	Keyed bool
	// Metrics are those that were evaluated.
	Metrics model.Evaluation
	// History are its earlier scalings, oldest first.
	History []model.Scaling
	// Delayed is its scale down that waits; nil is none.
	Delayed *model.DelayedScaleDown
	// Aligned is the answer of an alignment mode of the user's own. nil is none: BALANCED is used.
	Aligned *int
}

// Verdict is the decision on a vertex.
type Verdict struct {
	// Vertex is its hex ID.
	Vertex string
	// Current is its parallelism, New what it shall become. They are equal when nothing changes.
	Current, New int
	// Outside tells that it is outside of its utilisation bounds. It counts only when something changes.
	Outside bool
	// Expected is the true processing rate that the aligned parallelism should give; NaN when nothing was to change.
	Expected float64
	// Delayed is the scale down that waits from now on; nil is none.
	Delayed *model.DelayedScaleDown
	// Touched tells that Delayed was written or cleared.
	Touched bool
	// Events are what a user should learn of.
	Events []model.Event
	// Steps say how New came about.
	Steps Steps
}

// Steps are the figures between the metrics and the decision.
type Steps struct {
	// Rule is what decided in the end.
	Rule Rule
	// Capacity is the rate that the target utilisation asks for, NaN when it is not known.
	Capacity float64
	// Coefficient is the observed scalability; 1 is linear, or not looked at.
	Coefficient float64
	// Factor is Capacity by the true processing rate, before and after the bounds of one step.
	Factor, Bounded float64
	// Wanted is the parallelism before the alignment, Aligned the one after; 0 is not reached.
	Wanted, Aligned int
	// Groups is the number of key groups or source partitions that were aligned with; 0 is none.
	Groups int
	// Effect is how the last step up turned out, when the vertex is to be scaled up again at once.
	Effect *Effect
}

// Changes reports whether the vertex gets another parallelism.
func (v Verdict) Changes() bool { return v.New != v.Current }

// Vertex decides the parallelism of a vertex. The error is for options that validation refuses.
//
//	true processing rate or capacity   aligned parallelism        then
//	NaN                                -                          nothing changes
//	known                              at least the one before    the step is taken back, see takesBack
//	                                   a step up in vain
//	known                              the current one            nothing changes; a delay is forgotten
//	known                              higher                     a delay is forgotten; see up
//	known                              lower                      see down
func Vertex(in Input) (Verdict, error) {
	current := model.Int(in.Metrics.Current(model.Parallelism))
	v := Verdict{Vertex: in.Vertex, Current: current, New: current, Expected: model.NaN, Delayed: in.Delayed}
	rate := in.Metrics.Average(model.TrueProcessingRate)
	v.Steps = Steps{Rule: RuleNoRate, Capacity: model.NaN, Coefficient: 1, Factor: model.NaN, Bounded: model.NaN}
	if math.IsNaN(rate) {
		return v, nil
	}
	v.Steps.Capacity = evaluate.Capacity(in.Metrics, in.Options, in.Options.Target, in.RestartTime)
	if math.IsNaN(v.Steps.Capacity) {
		return v, nil
	}
	in.factor(&v.Steps, rate)
	b := in.bounds(current)
	v.Steps.Wanted = b.wanted(&v.Steps, current)
	if v.Steps.Wanted < 1 {
		return v, fmt.Errorf("vertex %s would get parallelism %d: vertex.min-parallelism must be at least 1",
			in.Vertex, v.Steps.Wanted)
	}
	aligned := v.Steps.Wanted
	if aligned != current {
		aligned = in.align(&v, b)
	}
	if in.takesBack(&v, rate, aligned) {
		return v, nil
	}
	v.Steps.Aligned = aligned
	if aligned == current {
		v.forgetDelay()
		return v, nil
	}
	v.Expected = model.Round3(rate / float64(current) * float64(aligned))
	outside := rate < in.Metrics.Current(model.ScaleUpThreshold) || rate > in.Metrics.Current(model.ScaleDownThreshold)
	if aligned > current {
		in.up(&v, rate, aligned, outside)
	} else {
		in.down(&v, aligned, outside)
	}
	return v, nil
}

// factor is the factor to the wanted capacity, corrected and bounded.
func (in Input) factor(s *Steps, rate float64) {
	s.Rule, s.Factor = RuleTarget, s.Capacity/rate
	if in.Options.Scalability {
		s.Coefficient = coefficient(in.History, in.Options)
		s.Factor /= s.Coefficient
	}
	s.Bounded = s.Factor
	if lowest := 1 - in.Options.MaxDown; s.Factor < lowest {
		s.Bounded, s.Rule = lowest, RuleMaxDown
	}
	if highest := 1 + in.Options.MaxUp; s.Bounded > highest {
		s.Bounded, s.Rule = highest, RuleMaxUp
	}
}

// bounds are those of the parallelism of a vertex. One that is already outside of the options' is not forced back.
type bounds struct {
	lower, upper int
	// groups is the max parallelism of the vertex.
	groups int
}

func (in Input) bounds(current int) bounds {
	return bounds{
		lower: min(current, in.Options.MinParallelism), upper: max(current, in.Options.MaxParallelism),
		groups: model.Int(in.Metrics.Current(model.MaxParallelism)),
	}
}

// wanted is the parallelism that the factor asks for, within the bounds. The max parallelism wins over the lower bound.
func (b bounds) wanted(s *Steps, current int) int {
	raw := model.Int(math.Ceil(s.Bounded * float64(current)))
	switch {
	case raw < b.lower:
		s.Rule = RuleVertexMin
	case raw > b.upper && b.upper <= b.groups:
		s.Rule = RuleVertexMax
	case raw > b.groups:
		s.Rule = RuleKeyGroups
	}
	return min(max(b.lower, raw), min(b.groups, b.upper))
}

// up scales up, unless the last step up gained nothing and that is to be blocked. The event is sent in either case.
func (in Input) up(v *Verdict, rate float64, aligned int, outside bool) {
	v.forgetDelay()
	if last, up := in.lastStepUp(v.Current); up {
		effect := effectOf(last, rate, in.Options)
		v.Steps.Effect = &effect
		if !effect.Effective {
			v.Events = append(v.Events, in.ineffectiveEvent(effect, ""))
		}
		if !effect.Effective && in.Options.DetectIneffective {
			v.Steps.Rule = RuleIneffective
			return
		}
	}
	if in.holdsAfterTakeBack() {
		v.Steps.Rule = RuleAfterTakeBack
		return
	}
	v.New, v.Outside = aligned, outside
}
