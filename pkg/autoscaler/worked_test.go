package autoscaler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

const (
	sourceID = "0a0b0c0d0e0f00011111111111111111"
	sinkID   = "0a0b0c0d0e0f00022222222222222222"
)

// pair is a job of a source and a sink, as the rows B and D of the specification have it.
type pair struct {
	config         conf.Config
	state          model.State
	source, sink   int // parallelism
	running        time.Time
	sinkPartition  model.ShipStrategy
	maxParallelism int
}

// reading is what both vertices show in one cycle.
type reading struct {
	at                   time.Duration // since benchStart
	in, lag              float64       // records that both have read; records that wait
	sourceBusy, sinkBusy float64       // ms per second
}

// cycle runs one cycle and keeps what is to be stored.
func (p *pair) cycle(r reading) autoscaler.Result {
	source := model.Vertex{
		ID: sourceID, Parallelism: p.source, MaxParallelism: p.maxParallelism, Counters: model.Counters{RecordsOut: r.in},
	}
	sink := model.Vertex{
		ID: sinkID, Parallelism: p.sink, MaxParallelism: p.maxParallelism, Counters: model.Counters{RecordsIn: r.in},
		Inputs: []model.Edge{{Vertex: sourceID, Ship: p.sinkPartition}},
	}
	answer := func(values map[string]collect.Aggregate) collect.VertexAnswer {
		return collect.VertexAnswer{Names: sorted(values), Values: values}
	}
	o := chain(1, 1)
	o.Job = collect.Job{Running: p.running, Vertices: []model.Vertex{source, sink}}
	o.Vertices = map[string]collect.VertexAnswer{
		sourceID: answer(map[string]collect.Aggregate{
			"busyTimeMsPerSecond": same4(r.sourceBusy), "backPressuredTimeMsPerSecond": same4(0),
			"Source__s.numRecordsIn": same4(r.in), "Source__s.numRecordsInPerSecond": same4(500),
			"Source__s.pendingRecords": same4(r.lag),
		}),
		sinkID: answer(map[string]collect.Aggregate{"busyTimeMsPerSecond": same4(r.sinkBusy)}),
	}
	// An observed rate is not part of these rows: the source shows none until it has enough of them.
	p.config["job.autoscaler.observed-true-processing-rate.min-observations"] = "1000"
	result := autoscaler.Run(autoscaler.Input{
		Now: benchStart.Add(r.at), Config: p.config, Running: true, State: p.state, Observed: o,
	})
	p.state = result.State
	return result
}

// restart is a job that began again with what was decided.
func (p *pair) restart(at time.Duration, parallelism int) {
	p.source, p.sink, p.running = parallelism, parallelism, benchStart.Add(at)
}

func (p *pair) expect(t *testing.T, row string, r autoscaler.Result, outcome execute.Outcome, source, sink int) {
	t.Helper()
	if r.End != autoscaler.EndDecided || r.Decision.Outcome != outcome {
		t.Fatalf("%s: %s %s %v, want %s", row, r.End, r.Decision.Outcome, r.Err, outcome)
	}
	want := map[string]string{sourceID: fmt.Sprint(source), sinkID: fmt.Sprint(sink)}
	if got := p.state.Overrides; got[sourceID] != want[sourceID] || got[sinkID] != want[sinkID] {
		t.Errorf("%s: %v, want %v\n%s", row, got, want, autoscaler.Explain(benchStart, r))
	}
}

func second(n int) time.Duration { return time.Duration(n) * time.Second }

// Rows B1 to B5: up for a backlog, down when it is worked off, and no change within the bounds.
func TestAJobIsScaledUpForABacklogAndDownAfterIt(t *testing.T) {
	p := &pair{
		config: conf.Config{
			"job.autoscaler.enabled": "true", "job.autoscaler.utilization.target": "0.8",
			"job.autoscaler.utilization.max": "0.9", "job.autoscaler.utilization.min": "0.7",
			"job.autoscaler.restart.time": "1 s", "job.autoscaler.catch-up.duration": "2 s",
			"job.autoscaler.stabilization.interval": "0 s", "job.autoscaler.backlog-processing.lag-threshold": "1 s",
			"job.autoscaler.scale-down.interval": "0 s", "job.autoscaler.scale-down.max-factor": "1",
			"job.autoscaler.scale-up.max-factor": "2147483647", "job.autoscaler.metrics.window": "1 s",
		},
		source: 1, sink: 1, running: benchStart, sinkPartition: model.ShipRebalance, maxParallelism: 128,
	}
	run := func(at int, in, lag, busy float64) autoscaler.Result {
		return p.cycle(reading{at: second(at), in: in, lag: lag, sourceBusy: busy, sinkBusy: busy})
	}
	// The window counts from the first sample, so that the second one fills it.
	if r := run(0, 0, 2000, 850); r.End != autoscaler.EndFirstSample {
		t.Fatalf("ended %s", r.End)
	}
	p.expect(t, "B1", run(1, 500, 2000, 850), execute.OutcomeScaled, 4, 4)

	p.restart(second(2), 4)
	p.config["job.autoscaler.metrics.window"] = "2 s"
	run(2, 0, 6000, 1000)
	run(3, 1800, 3600, 1000)
	p.expect(t, "B2", run(4, 3600, 2000, 1000), execute.OutcomeBalanced, 4, 4)
	p.expect(t, "B3", run(5, 5400, 400, 1000), execute.OutcomeScaled, 2, 2)

	p.restart(second(6), 2)
	run(6, 0, 2000, 1000)
	run(7, 900, 1400, 1000)
	p.expect(t, "B4", run(8, 1800, 800, 1000), execute.OutcomeBalanced, 2, 2)
	p.expect(t, "B5", run(9, 2700, 300, 1000), execute.OutcomeBalanced, 2, 2)
}

// Row D9: for an hour the sink is recommended less, and gets the most of what was recommended in it, at once with
// nothing else.
func TestAScaleDownWaitsForAnHour(t *testing.T) {
	p := &pair{
		config: conf.Config{
			"job.autoscaler.enabled": "true", "job.autoscaler.utilization.target": "0.8",
			"job.autoscaler.utilization.max": "0.9", "job.autoscaler.utilization.min": "0.7",
			"job.autoscaler.restart.time": "0 s", "job.autoscaler.catch-up.duration": "0 s",
			"job.autoscaler.stabilization.interval": "0 s", "job.autoscaler.metrics.window": "599 s",
			"job.autoscaler.scale-down.interval": "3599 s", "job.autoscaler.scale-down.max-factor": "1",
			"job.autoscaler.vertex.max-parallelism":                      "10000",
			"job.autoscaler.scaling.parallelism-alignment.mode":          "OFF",
			"job.autoscaler.scaling.key-group.partitions.adjust.mode":    "EVENLY_SPREAD",
			"job.autoscaler.backlog-processing.lag-threshold":            "1 h",
			"job.autoscaler.observed-true-processing-rate.lag-threshold": "1 h",
		},
		source: 200, sink: 1000, running: benchStart, sinkPartition: model.ShipRebalance, maxParallelism: 10000,
	}
	busy := []float64{350, 300, 150, 200, 400, 250, 100}
	for minute := range 71 {
		r := p.cycle(reading{
			at: time.Duration(minute) * time.Minute, in: float64(minute) * 1e6, sourceBusy: 800,
			sinkBusy: busy[min(minute/10, len(busy)-1)],
		})
		switch {
		case r.Err != nil:
			t.Fatal(r.Err)
		case r.End == autoscaler.EndDecided && r.Decision.Scaled():
			p.expect(t, "D9", r, execute.OutcomeScaled, 200, 500)
			if minute < 69 {
				t.Errorf("scaled in minute %d", minute)
			}
			return
		}
	}
	t.Error("never scaled")
}
