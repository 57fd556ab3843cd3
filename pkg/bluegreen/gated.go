package bluegreen

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// gated judges a target that is ready by its gates. The decision is one that holds the target back, or gives it up;
// false where nothing does. next is the decision so far, and gets what the gates say.
//
//	a gate     all others       the deadline   then
//	none       -                -              nothing holds it back
//	refuses    -                -              the target is given up
//	passes     pass             -              nothing holds it back
//	waits      pass, or wait    to come        wait
//	waits      pass, or wait    is over        the target is given up
func (v *view) gated(t v1beta1.BlueGreenTransition, ready time.Time, next *Decision) (Decision, bool) {
	judged, refused := v.judgeGates(t)
	if len(judged) == 0 {
		next.Status.Transition.Gates = nil
		return Decision{}, false
	}
	told := v.gateEvents(t, judged)
	next.Status.Transition.Gates, next.Events = judged, told
	waiting := waits(judged)
	deadline := ready.Add(v.delay()).Add(v.duration(key.GateDeadline)).Add(v.blind(t.Looked.Time))
	until := deadline.UTC().Format(time.TimeOnly)
	t.Gates = judged
	switch {
	case refused != "":
		return v.givenUp(t, "FlinkDeployment "+v.name(t.Target)+" is refused by "+refused, told), true
	case len(waiting) == 0:
		return Decision{}, false
	case v.now().After(deadline):
		return v.givenUp(t, "FlinkDeployment "+v.name(t.Target)+" did not pass its gates by "+until+" UTC: "+
			strings.Join(waiting, "; "), told), true
	}
	next.Situation = Gated
	next.Wait = plan.Cause{Reason: plan.ReasonAwaitingGates, Message: "FlinkDeployment " + v.name(t.Target) +
		" is ready and waits for its gates until " + until + " UTC" + servesOn(v, t) + ": " + strings.Join(waiting, "; ")}
	next.Soon = v.Gates.ByPass
	return *next, true
}

// waits says what the gates that wait wait for.
func waits(judged []v1beta1.BlueGreenGate) (waiting []string) {
	for _, g := range judged {
		if g.Verdict == v1beta1.BlueGreenWaiting {
			waiting = append(waiting, "gate "+g.Name+": "+g.Message)
		}
	}
	return waiting
}

// judgeGates are the gates that are configured, with what they say now, and why one of them refuses.
func (v *view) judgeGates(t v1beta1.BlueGreenTransition) (judged []v1beta1.BlueGreenGate, refused string) {
	before := map[string]v1beta1.BlueGreenGate{}
	for _, g := range t.Gates {
		before[g.Name] = g
	}
	for _, g := range v.gates(t) {
		earlier, known := before[g.name]
		said := v1beta1.BlueGreenGate{Name: g.name, Since: metav1.NewTime(v.now())}
		g.judge(v, earlier, &said)
		if known && earlier.Verdict == said.Verdict {
			said.Since = earlier.Since
		}
		said.Message = cut(v.hide(said.Message))
		if said.Verdict == v1beta1.BlueGreenRefused && refused == "" {
			refused = "gate " + said.Name + ": " + said.Message
		}
		judged = append(judged, said)
	}
	return judged, refused
}

// maxGateMessage bounds the message of a gate, in characters.
const maxGateMessage = 300

func cut(text string) string {
	if runes := []rune(text); len(runes) > maxGateMessage {
		return string(runes[:maxGateMessage]) + "…"
	}
	return text
}

// gateEvents tell each gate that says something else than before. The condition says what a gate waits for.
func (v *view) gateEvents(t v1beta1.BlueGreenTransition, judged []v1beta1.BlueGreenGate) (events []plan.Event) {
	earlier := map[string]v1beta1.BlueGreenVerdict{}
	for _, g := range t.Gates {
		earlier[g.Name] = g.Verdict
	}
	for _, g := range judged {
		reason, told := map[v1beta1.BlueGreenVerdict]plan.Reason{
			v1beta1.BlueGreenPassed:  plan.ReasonGatePassed,
			v1beta1.BlueGreenWaiting: plan.ReasonGateWaiting,
			v1beta1.BlueGreenRefused: plan.ReasonGateRefused,
		}[g.Verdict], earlier[g.Name] != g.Verdict
		if !told || g.Verdict == v1beta1.BlueGreenWaiting && earlier[g.Name] == "" {
			continue
		}
		events = append(events, plan.Event{
			Warning: g.Verdict == v1beta1.BlueGreenRefused, Reason: reason, Once: true,
			Key:     strings.Join([]string{t.OperationID, g.Name, g.Since.UTC().Format(time.RFC3339)}, "/"),
			Message: "FlinkDeployment " + v.name(t.Target) + ": gate " + g.Name + ": " + g.Message,
		})
	}
	return events
}
