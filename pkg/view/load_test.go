package view_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/view"
)

func TestTheLoadOfAJob(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at, managers := now.Add(-14*time.Second), 4
	load := view.Load{
		Row: view.Row{Ref: view.Ref{Name: "orders"}, Job: "RUNNING"}, TaskManagers: &managers,
		Checkpoint: &at, Took: 1200, StateSize: 2254857830, Restarts: "2", CPU: view.Figure(3.1), CPUAsked: view.Figure(8),
		Memory: view.Figure(11.2 * (1 << 30)), MemoryAsked: view.Figure(16 << 30),
		Vertices: []view.VertexLoad{
			{
				Name: "Source orders", Parallelism: 4, Busy: view.Figure(0.38), BackPressured: view.Figure(0.22),
				In: view.Figure(12100), Out: view.Figure(12100), Lag: view.Figure(1200),
			},
			{Name: "Sink", Parallelism: 8, Busy: view.Figure(0.97), BackPressured: view.Figure(0), In: view.Figure(12100)},
			{Name: "Old", Parallelism: 1, Busy: view.Figure(math.NaN())},
		},
	}
	all := view.LoadsOf([]view.Load{load}, []string{"the right to list pods is missing"})
	for _, want := range []string{
		"orders  RUNNING  3.1/8.0  11.2/16.0 GiB  4             97%   22%            1.2k  14s (1.2 s)  2.1 GiB  2",
		"not read: the right to list pods is missing",
	} {
		if text := all.Text(now, false); !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	want := "Source orders  4  38%  22%  12.1k  12.1k  1.2k\n" +
		"Sink           8  97%  0%   12.1k  -      -     <- bottleneck\n" +
		"Old            1  -    -    -      -      -\n"
	if got := load.VerticesText(true); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTheDecisionsOfTheAutoscaler(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 24, 0, 0, time.UTC)
	kept := []autoscaler.Explanation{
		{Time: now.Add(-time.Hour), Outcome: execute.Outcome("Balanced")},
		{
			Time: now, Outcome: execute.Outcome("Scaled"), RestartSeconds: 42,
			Vertices: []autoscaler.VertexExplanation{{Vertex: "ab12", Current: 4, New: 8, Rule: "UtilizationTarget"}},
		},
	}
	text := view.DecisionsOf(view.Row{}, kept, map[string]string{"ab12": "Sink"}).Text(now)
	for _, want := range []string{
		"12:24:00 Scaled (a restart is expected to take 42 s)\n  Sink: parallelism 4 -> 8 (UtilizationTarget).",
		"\n11:24:00 Balanced\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
}
