package autoscaler_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

func TestFigures(t *testing.T) {
	const (
		busy     = "LOAD=0.99 TRUE_PROCESSING_RATE=1010.101 "
		idle     = "LOAD=0.6 TRUE_PROCESSING_RATE=1666.667 "
		rates    = "TARGET_DATA_RATE=1000.0 CATCH_UP_DATA_RATE=0.0 LAG=0.0 PARALLELISM=4.0 "
		same, up = "RECOMMENDED_PARALLELISM=4.0 ", "RECOMMENDED_PARALLELISM=7.0 "
		bounds   = "MAX_PARALLELISM=720.0 NUM_SOURCE_PARTITIONS=0.0 " +
			"SCALE_UP_RATE_THRESHOLD=1250.0 SCALE_DOWN_RATE_THRESHOLD=2667.0"
		expected = " EXPECTED_PROCESSING_RATE=1767.677"
	)
	looks := func(minutes int, busy float64, options ...string) *looked {
		j := newJob(options...)
		for minute := range minutes {
			j.look(t, minute, 1000, busy)
		}
		return j
	}
	stores := func(j *looked) *looked {
		j.state = autoscaler.Decide(j.stored()).State
		return j
	}
	notTaken := stores(looks(21, 990))
	notTaken.look(t, 21, 1000, 990)
	unreadable := map[string]string{"job.autoscaler.enabled": "true", "job.autoscaler.metrics.window": "x"}
	for name, row := range map[string]struct {
		job     *looked
		source  string // what is told of it
		outcome string
	}{
		"no sample":          {newJob(), "", ""},
		"first sample":       {looks(1, 990), "", ""},
		"window not full":    {looks(20, 990), busy + rates + bounds, ""},
		"balanced":           {looks(21, 600), idle + rates + same + bounds, "Balanced"},
		"too busy":           {looks(21, 990), busy + rates + up + bounds + expected, "Scaled"},
		"decision stored":    {stores(looks(21, 990)), "", ""},
		"decision not taken": {notTaken, busy + rates + up + bounds + expected, ""},
		"scaling disabled": {
			looks(21, 990, "scaling.enabled", "false"), busy + rates + up + bounds + expected, "ScalingDisabled",
		},
		"busy time unknown":     {looks(21, math.NaN()), rates + same + bounds, "Balanced"},
		"options that are none": {&looked{config: unreadable, kept: looks(2, 990).kept}, "", "Failed"},
	} {
		t.Run(name, func(t *testing.T) {
			got := autoscaler.FiguresOf(row.job.stored())
			of := map[string][]string{}
			for _, f := range got.Vertices {
				of[f.Vertex] = append(of[f.Vertex], string(f.Metric)+"="+syntax.FormatFloat(f.Value))
			}
			source, sink := of[vertexID(0)], of[vertexID(1)]
			if diff := cmp.Diff(row.source, strings.Join(source, " ")); diff != "" || got.Outcome != row.outcome {
				t.Errorf("outcome %q, want %q, source (-want +got):\n%s", got.Outcome, row.outcome, diff)
			}
			if len(source) > 0 && (len(sink) != len(source)-1 || strings.Contains(strings.Join(sink, " "), "LAG")) {
				t.Errorf("sink %v, want what the source has, but for its lag", sink)
			}
			if newest, _ := row.job.kept.Newest(); !got.At.Equal(newest.Time) {
				t.Errorf("at %s, want the time of the sample, %s", got.At, newest.Time)
			}
		})
	}
}

// TestABacklogHasNoRateToScaleDownAt: it is infinite, as the Java autoscaler exports it.
func TestABacklogHasNoRateToScaleDownAt(t *testing.T) {
	j := newJob()
	for minute := range 3 {
		j.look(t, minute, 0, 990)
	}
	for i := range j.kept.Window {
		j.kept.Window[i].Vertices[vertexID(0)]["LAG"] = 1e9
	}
	infinite := 0
	for _, f := range autoscaler.FiguresOf(j.stored()).Vertices {
		if f.Metric == "SCALE_DOWN_RATE_THRESHOLD" && math.IsInf(f.Value, 1) {
			infinite++
		}
	}
	if infinite != 2 {
		t.Errorf("%d vertices have an infinite rate, want both", infinite)
	}
}

// BenchmarkFigures is what metrics add to a sample of a job with 20 vertices, before they are pushed.
func BenchmarkFigures(b *testing.B) {
	j := newJob()
	j.quick = true
	for minute := range 21 {
		j.kept = autoscaler.Take(autoscaler.Sampling{
			Stored: j.stored(), Now: chainAt(20, minute, j.state).Now, Job: "j", Observed: chain(20, minute),
		}).Kept
	}
	for b.Loop() {
		if f := autoscaler.FiguresOf(j.stored()); len(f.Vertices) < 200 {
			b.Fatal(len(f.Vertices))
		}
	}
}
