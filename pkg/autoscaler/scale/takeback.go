package scale

import (
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// lastStepUp is the last scaling of the vertex, where that was a step up to the parallelism that it has.
func (in Input) lastStepUp(current int) (model.Scaling, bool) {
	if len(in.History) == 0 {
		return model.Scaling{}, false
	}
	last := in.History[len(in.History)-1]
	return last, current == last.New && last.New > last.Current
}

// takesBack takes the last step up back where it gained too little, and the user asks for that. First match wins:
//
//	the last scaling   its gain                  a step taken back   the rates ask for            then
//	                                             is remembered
//	no step up         -                         -                   -                            nothing
//	a step up          not known, or enough      -                   -                            nothing
//	a step up          below the threshold       yes                 -                            nothing
//	a step up          below the threshold       no                  less than the one before it  nothing
//	a step up          below the threshold       no                  otherwise                    taken back
func (in Input) takesBack(v *Verdict, rate float64, aligned int) bool {
	last, up := in.lastStepUp(v.Current)
	if !up || !in.Options.TakeBack {
		return false
	}
	effect := effectOf(last, rate, in.Options)
	known := model.IsFinite(effect.Expected) && model.IsFinite(effect.Actual)
	if !known || effect.Effective || in.tookBack() || aligned < last.Current {
		return false
	}
	v.forgetDelay()
	v.Steps.Effect, v.Steps.Rule, v.Steps.Aligned = &effect, RuleTakenBack, last.Current
	v.New, v.Outside, v.Expected = last.Current, true, last.Metrics.Average(model.TrueProcessingRate)
	told := in.ineffectiveEvent(
		effect, ". It is taken back: parallelism "+strconv.Itoa(v.Current)+" -> "+strconv.Itoa(v.New),
	)
	told.Suppressed = false
	v.Events = append(v.Events, told)
	return true
}

// isTakeBack reports whether a scaling took the one before it back: it goes to where that came from, and what is
// expected of it is what was measured there.
func (in Input) isTakeBack(i int) bool {
	if i == 0 {
		return false
	}
	step, back := in.History[i-1], in.History[i]
	return step.New > step.Current && back.Current == step.New && back.New == step.Current &&
		back.Metrics.Current(model.ExpectedProcessingRate) == step.Metrics.Average(model.TrueProcessingRate)
}

// tookBack reports whether a step that was taken back is remembered.
func (in Input) tookBack() bool {
	for i := range in.History {
		if in.isTakeBack(i) {
			return true
		}
	}
	return false
}

// holdsAfterTakeBack reports whether a step up was taken back less than scale-down.interval ago: the rates still ask
// for it.
func (in Input) holdsAfterTakeBack() bool {
	n := len(in.History)
	return in.Options.TakeBack && n > 0 && in.isTakeBack(n-1) &&
		in.Now.Sub(in.History[n-1].Time) < in.Options.ScaleDownInterval
}
