package scenario

import (
	"strconv"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/otlpsim"
)

// vertexGauges are those of the vertices of an autoscaled job, with how many vertices of a source and a sink have one.
var vertexGauges = map[metrics.Gauge]int{
	metrics.Load: 2, metrics.TrueProcessingRate: 2, metrics.TargetDataRate: 2, metrics.CatchUpDataRate: 2, metrics.Lag: 1,
	metrics.Parallelism: 2, metrics.RecommendedParallelism: 2, metrics.MaxParallelism: 2, metrics.SourcePartitions: 2,
	metrics.ScaleUpThreshold: 2, metrics.ScaleDownThreshold: 2, metrics.ExpectedProcessingRate: 2,
}

// Metrics tell of each vertex of an autoscaled job, and what came of each sample: of no other job, and of none any more
// once the autoscaler is off.
func TestMetricsOfAnAutoscaledJob(t *testing.T) {
	for name, onSession := range map[string]bool{"an application": false, "a session job": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.onSession = onSession
			collector, push := h.pushes()
			h.loads(demo, 3500)
			h.apply(demo, application(stateful("savepoint"), adaptive, autoscaled))
			h.apply("fixed", application(stateful("savepoint"), adaptive))
			h.untilStable(demo)
			h.untilStable("fixed")
			h.scaledTo(demo, "up", atLeast(5))
			h.windowFills(demo)
			push()
			of := []string{
				"flink.resource.kind=" + kindName(h.kindOf(demo)), "k8s.namespace.name=" + namespace,
				"flink.resource.name=" + demo,
			}
			for gauge, want := range vertexGauges {
				all, vertices := collector.Samples(string(gauge)), map[string]bool{}
				for _, s := range collector.Samples(string(gauge), append(of, "service.instance.id=")...) {
					vertices[s.Labels["flink.vertex.id"]] = true
				}
				if len(vertices) != want || vertices[""] || len(collector.Samples(string(gauge), of...)) != len(all) {
					t.Errorf("%s: of %v, and %d samples in all; want %d vertices of the one job", gauge, vertices, len(all), want)
				}
			}
			p := h.parallelismOf(demo)
			expect(t, "the parallelism of both vertices", collector.Sum(string(metrics.Parallelism)), float64(p[0]+p[1]))
			if most := highest(collector, metrics.RecommendedParallelism); most != highest(collector, metrics.Parallelism) {
				t.Errorf("up to %v was recommended, and it runs with %v", most, p)
			}
			if load := highest(collector, metrics.Load); load < 0.9 || load > 1 {
				t.Errorf("the load was %v at the most", load)
			}
			scalings := func() float64 {
				return collector.Total(string(metrics.Cycles), append(of, "flink.operator.autoscaler.outcome=Scaled")...)
			}
			scaled := scalings()
			expect(t, "scalings", scaled, float64(len(h.decisions(demo))))
			if balanced := collector.Total(string(metrics.Cycles), append(of, "error.type=")...) - scaled; balanced < 1 {
				t.Errorf("%v cycles did not scale", balanced)
			}
			h.edit(demo, option("job.autoscaler.enabled", "false"))
			h.scaledTo(demo, "back", atMost(2))
			push()
			off := h.w.Clock.Now()
			h.pass(5 * time.Minute)
			push()
			expect(t, "scalings after the autoscaler is off", scalings(), scaled)
			for gauge := range vertexGauges {
				for _, s := range collector.Samples(string(gauge)) {
					if s.At.After(off) {
						t.Fatalf("%s is told at %s, and the autoscaler was off at %s", gauge, s.At, off)
					}
				}
			}
		})
	}
}

// highest is the greatest value that a gauge had.
func highest(collector *otlpsim.Receiver, gauge metrics.Gauge) (value float64) {
	for _, s := range collector.Samples(string(gauge)) {
		value = max(value, s.Value)
	}
	return value
}

// decisions are those of the autoscaler that are kept of a resource.
func (h *harness) decisions(name string) map[string]any {
	u := h.w.Kube.Peek(kubesim.ConfigMaps, namespace, "autoscaler-"+name+"-decisions")
	if u == nil {
		h.t.Fatalf("%s has no decisions", name)
	}
	data, _ := u.Object["data"].(map[string]any)
	if len(data) == 0 || len(data) >= 10 {
		h.t.Fatal("the decisions are not all there: " + strconv.Itoa(len(data)))
	}
	return data
}
