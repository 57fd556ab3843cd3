package bluegreen_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// gateWorld is a world whose new side is ready, with gates that find this.
func gateWorld(t *testing.T, found bluegreen.Gates, options ...func(map[string]any)) *world {
	t.Helper()
	w := beginGated(t, found, options...)
	w.until("green is ready", func() bool { d := w.side("green"); return d != nil && isReady(d) })
	return w
}

// beginGated is a world with a change that has just begun.
func beginGated(t *testing.T, found bluegreen.Gates, options ...func(map[string]any)) *world {
	t.Helper()
	w := active(t, stateful)
	w.gates = found
	w.services = []flinkconf.Extension{{Name: "smoke", Kinds: kinds.Names()}}
	w.operator = flinkconf.Config{
		"kubernetes.operator.bluegreen.gate.prometheus.url": "http://prometheus",
		"kubernetes.operator.plugins.gates.smoke.url":       "http://smoke",
		"kubernetes.operator.plugins.gates.load.url":        "http://load",
	}
	w.edit(append(options, image("1.21"))...)
	return w
}

func (w *world) gate(name string) v1beta1.BlueGreenGate {
	w.t.Helper()
	if w.bg.Status.Transition != nil {
		for _, g := range w.bg.Status.Transition.Gates {
			if g.Name == name {
				return g
			}
		}
	}
	w.t.Fatalf("status shows no gate %s: %+v", name, w.bg.Status.Transition)
	return v1beta1.BlueGreenGate{}
}

// minutes lets minutes pass, with a look every ten seconds.
func (w *world) minutes(n int) {
	for range 6 * n {
		w.tick()
		w.now = w.now.Add(10 * time.Second)
	}
}

func TestGates(t *testing.T) {
	present := plan.Present[int64]
	for name, row := range map[string]struct {
		options []func(map[string]any)
		found   bluegreen.Gates
		gate    string
		verdict v1beta1.BlueGreenVerdict
		value   string
		says    string
	}{
		"too few checkpoints": {
			[]func(map[string]any){option("gate.checkpoints", "3")}, bluegreen.Gates{Checkpoints: present(2)},
			"checkpoints", "Waiting", "2", "2 of 3 checkpoints",
		},
		"Flink does not tell the checkpoints": {
			[]func(map[string]any){option("gate.checkpoints", "3")},
			bluegreen.Gates{Checkpoints: plan.Unknown[int64]("connection refused")},
			"checkpoints", "Waiting", "", "not known: connection refused",
		},
		"Flink does not tell the restarts": {
			[]func(map[string]any){option("gate.max-restarts", "0")},
			bluegreen.Gates{Restarts: plan.Unknown[int64]("connection refused")},
			"restarts", "Waiting", "", "not known: connection refused",
		},
		"the lag is too high": {
			[]func(map[string]any){option("gate.max-lag", "100")}, bluegreen.Gates{Lag: present(101)},
			"lag", "Waiting", "101", "101 records are pending, and at most 100 may be",
		},
		"the lag is watched": {
			[]func(map[string]any){option("gate.max-lag", "100"), option("gate.lag-window", "1 h")},
			bluegreen.Gates{Lag: present(100)}, "lag", "Waiting", "100", "watched until",
		},
		"no source tells a lag": {
			[]func(map[string]any){option("gate.lag-not-growing", "true")}, bluegreen.Gates{Lag: plan.Absent[int64]()},
			"lag", "Waiting", "", "pendingRecords",
		},
		"nothing was sent yet": {
			[]func(map[string]any){option("gate.max-error-rate", "0.1")},
			bluegreen.Gates{Sent: plan.Present(bluegreen.Sent{})}, "errors", "Waiting", "", "no record was sent yet",
		},
		"no sink tells what it sends": {
			[]func(map[string]any){option("gate.max-error-rate", "0.1")},
			bluegreen.Gates{Sent: plan.Absent[bluegreen.Sent]()}, "errors", "Waiting", "", "numRecordsSend",
		},
		"the query gives no sample": {
			[]func(map[string]any){option("gate.prometheus-query", "up < 1")},
			bluegreen.Gates{Query: plan.Present([]float64{})}, "prometheus", "Waiting", "", "no sample",
		},
		"the query gives 0": {
			[]func(map[string]any){option("gate.prometheus-query", "up")},
			bluegreen.Gates{Query: plan.Present([]float64{1, 0})}, "prometheus", "Waiting", "0", "gives 0",
		},
		"the query gives no number": {
			[]func(map[string]any){option("gate.prometheus-query", "up")},
			bluegreen.Gates{Query: plan.Present([]float64{math.NaN()})}, "prometheus", "Waiting", "NaN", "gives NaN",
		},
		"Prometheus does not answer": {
			[]func(map[string]any){option("gate.prometheus-query", "up")},
			bluegreen.Gates{Query: plan.Unknown[[]float64]("HTTP status 503")}, "prometheus", "Waiting", "", "HTTP status 503",
		},
		"a service does not answer": {
			[]func(map[string]any){option("gate.services", "smoke")},
			bluegreen.Gates{Services: map[string]plan.Observed[string]{"smoke": plan.Unknown[string]("HTTP status 503")}},
			"service/smoke", "Waiting", "", "HTTP status 503",
		},
		"a service that the installation does not have any more": {
			[]func(map[string]any){option("gate.services", "load")}, bluegreen.Gates{},
			"service/load", "Waiting", "", "kubernetes.operator.plugins.gates.load.url",
		},
		"a user decides": {
			[]func(map[string]any){option("gate.approval", "true")}, bluegreen.Gates{},
			"approval", "Waiting", "", "kubectl annotate --overwrite flinkbluegreendeployment demo",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := gateWorld(t, row.found, row.options...)
			w.minutes(1)
			w.sees("TRANSITIONING_TO_GREEN", "RECONCILING", "blue, green")
			g := w.gate(row.gate)
			if g.Verdict != row.verdict || g.Value != row.value || !strings.Contains(g.Message, row.says) {
				t.Errorf("%+v, want %s, value %q, and %q", g, row.verdict, row.value, row.says)
			}
			if c := w.condition("Reconciling"); c.Reason != "AwaitingGates" || !strings.Contains(c.Message, row.says) {
				t.Errorf("Reconciling %s: %s", c.Reason, c.Message)
			}
			if s := w.bg.Status; s.Situation != "Gated" || s.Pace != v1beta1.PaceSlow {
				t.Errorf("situation %s, pace %s; want Gated, slow", s.Situation, s.Pace)
			}
			w.minutes(31)
			w.rests()
			w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
			w.stalls("TransitionAborted", "did not pass its gates", row.says)
		})
	}
}

func TestGatesThatPass(t *testing.T) {
	present := plan.Present[int64]
	found := bluegreen.Gates{
		Checkpoints: present(3), Restarts: present(1), Lag: present(100),
		Sent:  plan.Present(bluegreen.Sent{Records: 1000, Errors: 1}),
		Query: plan.Present([]float64{1, -2}), Services: map[string]plan.Observed[string]{"smoke": plan.Present("")},
	}
	w := gateWorld(
		t,
		found,
		option("gate.checkpoints", "3"),
		option("gate.max-restarts", "1"),
		option("gate.max-lag", "100"),
		option(
			"gate.lag-not-growing",
			"true",
		),
		option("gate.lag-window", "2 min"),
		option("gate.max-error-rate", "0.001"),
		option("gate.prometheus-query", "x > 0"),
		option("gate.services", "smoke"),
		option("gate.approval", "true"),
	)
	w.minutes(1)
	for _, name := range []string{"checkpoints", "restarts", "errors", "prometheus", "service/smoke"} {
		if g := w.gate(name); g.Verdict != "Passed" {
			t.Errorf("%+v, want Passed", g)
		}
	}
	if n := w.told("GatePassed"); n != 5 {
		t.Errorf("GatePassed was told %d times, want 5", n)
	}
	w.minutes(2)
	if g := w.gate("lag"); g.Verdict != "Passed" {
		t.Errorf("%+v, want Passed after the window", g)
	}
	w.gates.Lag = present(101)
	w.minutes(1)
	if g := w.gate("lag"); g.Verdict != "Waiting" || g.Window != nil || w.told("GateWaiting") != 1 {
		t.Errorf("%+v, want Waiting without a window, told once", g)
	}
	w.gates.Lag = present(50)
	w.minutes(1)
	w.gates.Lag = present(51)
	w.tick()
	if g := w.gate("lag"); g.Window == nil || g.Window.Lag != 51 {
		t.Errorf("%+v, want a window that begins with a lag of 51: it has grown", g)
	}
	w.minutes(3)
	w.bg.Annotations = map[string]string{v1beta1.AnnotationPromote: "another"}
	w.minutes(1)
	w.sees("TRANSITIONING_TO_GREEN", "RECONCILING", "blue, green")
	w.bg.Annotations[v1beta1.AnnotationPromote] = w.bg.Status.Transition.OperationID
	w.rests()
	w.sees("ACTIVE_GREEN", "RUNNING", "green")
}

func TestGatesThatRefuse(t *testing.T) {
	for name, row := range map[string]struct {
		option  func(map[string]any)
		found   bluegreen.Gates
		refuses string
	}{
		"a restart": {
			option("gate.max-restarts", "0"), bluegreen.Gates{Restarts: plan.Present[int64](1)},
			"gate restarts: the job restarted 1 times, and may 0 times",
		},
		"errors": {
			option("gate.max-error-rate", "0.01"),
			bluegreen.Gates{Sent: plan.Present(bluegreen.Sent{Records: 100, Errors: 2})},
			"gate errors: 2 of 100 records that were sent failed, and a share of 0.01 may",
		},
		"a service": {
			option("gate.services", "smoke"),
			bluegreen.Gates{Services: map[string]plan.Observed[string]{"smoke": plan.Present("the p99 is 3 s")}},
			"gate service/smoke: the p99 is 3 s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := beginGated(t, row.found, row.option)
			w.rests()
			w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
			w.stalls("TransitionAborted", row.refuses)
			if w.told("GateRefused") != 1 {
				t.Errorf("GateRefused was told %d times", w.told("GateRefused"))
			}
			if len(w.starts) != 1 {
				t.Errorf("starts %v: blue was touched", w.starts)
			}
		})
	}
}

func TestAUserAborts(t *testing.T) {
	w := gateWorld(t, bluegreen.Gates{}, option("gate.approval", "true"))
	w.bg.Annotations = map[string]string{v1beta1.AnnotationAbort: "another"}
	w.minutes(1)
	w.sees("TRANSITIONING_TO_GREEN", "RECONCILING", "blue, green")
	w.bg.Annotations[v1beta1.AnnotationAbort] = w.bg.Status.Transition.OperationID
	w.rests()
	w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
	w.stalls("TransitionAborted", "a user has aborted the change")
}

func TestWhatOpensGates(t *testing.T) {
	few := bluegreen.Gates{Checkpoints: plan.Present[int64](0)}
	t.Run("an edit of the options counts at once", func(t *testing.T) {
		w := gateWorld(t, few, option("gate.checkpoints", "3"))
		w.edit(option("gate.checkpoints", "0"))
		w.rests()
		w.sees("ACTIVE_GREEN", "RUNNING", "green")
	})
	t.Run("an edit that cannot be read changes nothing", func(t *testing.T) {
		w := gateWorld(t, few, option("gate.checkpoints", "3"))
		w.edit(option("gate.checkpoints", "three"))
		w.minutes(1)
		w.sees("TRANSITIONING_TO_GREEN", "RECONCILING", "blue, green")
		if g := w.gate("checkpoints"); !strings.Contains(g.Message, "0 of 3") {
			t.Errorf("%+v", g)
		}
	})
	t.Run("the side that served is gone", func(t *testing.T) {
		w := gateWorld(t, few, option("gate.checkpoints", "3"))
		delete(w.sides, "demo-blue")
		w.rests()
		w.sees("ACTIVE_GREEN", "RUNNING", "green")
	})
	t.Run("a side that is not ready any more is judged anew", func(t *testing.T) {
		w := gateWorld(t, bluegreen.Gates{Lag: plan.Present[int64](1)}, option("gate.max-lag", "5"),
			option("gate.lag-window", "1 min"), option("gate.approval", "true"))
		w.minutes(2)
		if g := w.gate("lag"); g.Verdict != "Passed" {
			t.Fatalf("%+v", g)
		}
		w.side("green").Status.JobStatus.State = "RECONCILING"
		w.slow["demo-green"] = true
		w.tick()
		if gates := w.bg.Status.Transition.Gates; len(gates) != 0 {
			t.Errorf("status shows %+v of a side that is not ready", gates)
		}
		w.side("green").Status.JobStatus.State = "RUNNING"
		w.tick()
		if g := w.gate("lag"); g.Verdict != "Waiting" {
			t.Errorf("%+v: its window was not begun anew", g)
		}
	})
	t.Run("the deletion delay is waited for as well", func(t *testing.T) {
		w := gateWorld(
			t,
			bluegreen.Gates{Checkpoints: plan.Present[int64](3)},
			option("gate.checkpoints", "3"),
			delay("5 min"),
		)
		w.minutes(3)
		w.sees("TRANSITIONING_TO_GREEN", "RECONCILING", "blue, green")
		if c := w.condition("Reconciling"); c.Reason != "SideReady" {
			t.Errorf("Reconciling %s: %s", c.Reason, c.Message)
		}
		w.rests()
		w.sees("ACTIVE_GREEN", "RUNNING", "green")
	})
}
