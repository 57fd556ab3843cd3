package doctor

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Proof is what a canary has proved: after how long each part has shown that it works; zero where it has not.
type Proof struct {
	// First is when a function had observed the canary, Asked when a sweep had changed it, and Answered when the event of
	// that change had woken a pass.
	First, Asked, Answered time.Duration
}

// Seen is the proof after another look at the canary.
func (p Proof) Seen(c v1beta1.Canary, took time.Duration) Proof {
	took = max(took, time.Nanosecond)
	first := func(was time.Duration, now bool) time.Duration {
		if was == 0 && now {
			return took
		}
		return was
	}
	asked := !c.Asked.IsZero()
	p.First = first(p.First, c.Answered > 0)
	p.Asked = first(p.Asked, asked)
	p.Answered = first(p.Answered, asked && c.Answered >= c.Generation)
	return p
}

// Whole is whether all is proved.
func (p Proof) Whole() bool { return p.First > 0 && p.Asked > 0 && p.Answered > 0 }

// Findings say of each part whether it works.
func (p Proof) Findings() []Line {
	row := func(check string, took time.Duration, proved, dead string) Line {
		if took > 0 {
			return line(check, OK, "%s after %v", proved, took.Round(100*time.Millisecond))
		}
		return line(check, Fail, "%s", dead).do(
			"docs/troubleshoot/operator.md says what each part does, and how to see it work")
	}
	return []Line{
		row("Probe: passes", p.First, "the canary was observed", "no pass has observed the canary: source, Broker "+
			"flink-control, Trigger or function reconcile is dead, or the namespace is not watched"),
		row("Probe: clock", p.Asked, "a sweep asked for an answer", "no sweep has asked for an answer: the clock, "+
			"Trigger or function observe is dead"),
		row("Probe: source", p.Answered, "the change woke a pass", "the change has woken no pass: the source is dead"),
	}
}
