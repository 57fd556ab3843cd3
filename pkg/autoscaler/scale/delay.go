package scale

import (
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// forgetDelay forgets a scale down that waits.
func (v *Verdict) forgetDelay() {
	if v.Delayed != nil {
		v.Delayed, v.Touched = nil, true
	}
}

// down scales down at once, or at the highest parallelism that was recommended within the interval, once that is over.
//
//	interval       since the first recommendation   then
//	below 1 ms     -                                the new parallelism
//	otherwise      less than the interval           nothing changes
//	otherwise      at least the interval            the highest recommendation in it
//
// The expected rate is that of the newest recommendation, as in the Java autoscaler.
func (in Input) down(v *Verdict, aligned int, outside bool) {
	if in.Options.ScaleDownInterval < time.Millisecond {
		v.New, v.Outside = aligned, outside
		return
	}
	delayed := model.DelayedScaleDown{FirstTrigger: in.Now}
	if in.Delayed != nil {
		delayed = *in.Delayed
	}
	delayed.Recommendations = recommend(delayed.Recommendations, model.Recommendation{
		Time: in.Now, Parallelism: aligned, Outside: outside,
	})
	v.Touched, v.Steps.Rule = true, RuleDelayed
	start := in.Now.Add(-in.Options.ScaleDownInterval)
	if !start.Before(delayed.FirstTrigger) {
		delayed.Recommendations = slices.DeleteFunc(delayed.Recommendations, func(r model.Recommendation) bool {
			return r.Time.Before(start)
		})
		highest := delayed.Recommendations[0] // the one just added is never older than the interval
		v.New, v.Outside, v.Steps.Rule = highest.Parallelism, highest.Outside, RuleDelayOver
	}
	v.Delayed = &delayed
}

// recommend adds a recommendation. Those before it that ask for no more than it are forgotten: the list falls.
func recommend(list []model.Recommendation, r model.Recommendation) []model.Recommendation {
	end := len(list)
	for end > 0 && list[end-1].Parallelism <= r.Parallelism {
		end--
	}
	return append(slices.Clone(list[:end]), r)
}
