package scale

import (
	"math"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Effect compares what a step up should have gained with what it did.
type Effect struct {
	// Expected and Actual are the growth of the true processing rate, in records per second.
	Expected, Actual float64
	// Effective tells that Actual is at least the threshold's share of Expected. Rates that are not known are not.
	Effective bool
}

func effectOf(last model.Scaling, rate float64, o model.Options) Effect {
	before := last.Metrics.Average(model.TrueProcessingRate)
	e := Effect{Expected: last.Metrics.Current(model.ExpectedProcessingRate) - before, Actual: rate - before}
	e.Effective = e.Actual/e.Expected >= o.EffectivenessThreshold
	return e
}

// ineffectiveEvent tells of a step up in vain, and what becomes of it, if anything does.
func (in Input) ineffectiveEvent(e Effect, becomes string) model.Event {
	blocking := "disabled"
	if in.Options.DetectIneffective {
		blocking = "enabled"
	}
	expected := syntax.FormatFloat(e.Expected)
	return model.Event{
		Type: model.EventNormal, Reason: model.ReasonIneffective,
		Message: "Ineffective scaling detected for " + in.Vertex + " (expected increase: " + expected +
			", actual increase " + syntax.FormatFloat(e.Actual) + "). Blocking of ineffective scaling decisions is " +
			blocking + becomes,
		Key: "ineffective" + in.Vertex + expected, Suppressed: true, Interval: in.Options.EventInterval,
	}
}

// coefficient is the share of linear scaling that the past shows, rounded up to two decimals and not below its option.
//
//	past of the vertex                         then it is
//	fewer scalings than the option asks for    1
//	a rate that is not known                   1
//	otherwise                                  the slope of rate over parallelism, by the rate of one subtask
//
// The rate of one subtask is that of the newest scaling from the smallest parallelism.
func coefficient(history []model.Scaling, o model.Options) float64 {
	if len(history) == 0 || len(history) < o.ScalabilityLeast {
		return 1
	}
	one := ofOneSubtask(history)
	rates, squares := 0.0, 0.0
	for _, s := range history {
		rate := s.Metrics.Average(model.TrueProcessingRate)
		if math.IsNaN(rate) {
			return 1
		}
		rates += float64(s.Current) * rate
		squares += float64(s.Current) * float64(s.Current)
	}
	share := rates / (squares * one)
	if math.IsNaN(one) || math.IsNaN(share) || squares == 0 {
		return 1
	}
	return model.CeilTo(max(o.CoefficientMin, min(1, share)), 2)
}

func ofOneSubtask(history []model.Scaling) float64 {
	smallest := history[0]
	for _, s := range history {
		if s.Current <= smallest.Current {
			smallest = s
		}
	}
	return smallest.Metrics.Average(model.TrueProcessingRate) / float64(smallest.Current)
}
