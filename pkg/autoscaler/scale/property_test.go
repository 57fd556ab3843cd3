package scale

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

var now = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

func rate(t *rapid.T, name string) float64 {
	return rapid.OneOf(
		rapid.Float64Range(0, 1e6), rapid.SampledFrom([]float64{0, 1, model.NaN, model.Inf, 1e-9}),
	).Draw(t, name)
}

// anyInput is a vertex with whatever options validation accepts.
func anyInput(t *rapid.T) Input {
	target := rapid.Float64Range(0.01, 1).Draw(t, "target")
	in := Input{
		Options: model.Options{
			Target: target, MinParallelism: rapid.IntRange(1, 50).Draw(t, "min"),
			MaxParallelism:    rapid.IntRange(1, 300).Draw(t, "max"),
			MaxDown:           rapid.Float64Range(0, 1).Draw(t, "down"),
			MaxUp:             rapid.Float64Range(0, 1e5).Draw(t, "up"),
			CatchUp:           time.Duration(rapid.IntRange(0, 3600).Draw(t, "catch-up")) * time.Second,
			ScaleDownInterval: time.Duration(rapid.IntRange(0, 7200).Draw(t, "interval")) * time.Second,
			DetectIneffective: rapid.Bool().Draw(t, "detect"), EffectivenessThreshold: 0.1,
			Scalability: rapid.Bool().Draw(t, "scalability"), ScalabilityLeast: 1, CoefficientMin: 0.5,
			AlignmentMode: rapid.SampledFrom([]string{"", "BALANCED", "EVENLY_SPREAD", "OFF", "mine"}).Draw(t, "mode"),
			AdjustMode:    rapid.SampledFrom([]string{"", "EVENLY_SPREAD", "MAXIMIZE_UTILISATION"}).Draw(t, "older"),
		},
		Now: now, RestartTime: time.Minute, Vertex: "v", Keyed: rapid.Bool().Draw(t, "keyed"),
		Metrics: model.Evaluation{
			model.Parallelism:        model.Now(float64(rapid.IntRange(1, 400).Draw(t, "parallelism"))),
			model.MaxParallelism:     model.Now(float64(rapid.IntRange(400, 1000).Draw(t, "key groups"))),
			model.SourcePartitions:   model.Now(float64(rapid.SampledFrom([]int{0, 0, 1, 7, 30, 64}).Draw(t, "partitions"))),
			model.TrueProcessingRate: model.Over(rate(t, "rate")),
			model.TargetDataRate:     model.Over(rate(t, "target rate")),
			model.CatchUpDataRate:    model.Now(rate(t, "catch-up rate")),
			model.ScaleUpThreshold:   model.Now(rate(t, "up below")),
			model.ScaleDownThreshold: model.Now(rate(t, "down above")),
		},
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "past") {
		in.History = append(in.History, model.Scaling{
			Time: now.Add(time.Duration(i-5) * time.Hour), Current: rapid.IntRange(1, 400).Draw(t, "was"),
			New: rapid.IntRange(1, 400).Draw(t, "became"), Metrics: model.Evaluation{
				model.TrueProcessingRate:     model.Over(rate(t, "rate then")),
				model.ExpectedProcessingRate: model.Now(rate(t, "expected then")),
			},
		})
	}
	// What waits was recommended at the present parallelism, and is less: each rescale forgets it. Of more than that,
	// which is left where a person lowers it, the Java autoscaler makes a step up, and so is it here.
	current := model.Int(in.Metrics.Current(model.Parallelism))
	if current-2 >= in.Options.MinParallelism && rapid.Bool().Draw(t, "waits") {
		in.Delayed = &model.DelayedScaleDown{
			FirstTrigger: now.Add(-time.Hour),
			Recommendations: []model.Recommendation{
				{Time: now.Add(-time.Hour), Parallelism: current - 1},
				{Time: now.Add(-time.Minute), Parallelism: current - 2, Outside: true},
			},
		}
	}
	return in
}

// Whatever is measured: the parallelism stays within its bounds, a vertex outside of them is not forced back, the input
// is left alone, and the same input gives the same verdict.
func TestVerdictsOfAnyVertex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		before := in
		if in.Delayed != nil {
			waits := *in.Delayed
			waits.Recommendations = append([]model.Recommendation(nil), waits.Recommendations...)
			before.Delayed = &waits
		}
		v, err := Vertex(in)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Vertex(in)
		if text(v) != text(again) {
			t.Fatalf("%+v and %+v", v, again)
		}
		if !reflect.DeepEqual(before.Delayed, in.Delayed) {
			t.Fatalf("the input became %+v", in.Delayed)
		}
		lowest, highest := min(v.Current, in.Options.MinParallelism), max(v.Current, in.Options.MaxParallelism)
		if v.New < lowest || v.New > highest || v.New < 1 {
			t.Fatalf("%d -> %d, the bounds are %d and %d: %+v", v.Current, v.New, lowest, highest, v.Steps)
		}
		if v.Steps.Rule == RuleUnknown {
			t.Fatalf("no rule: %+v", v)
		}
		if v.Changes() && math.IsNaN(in.Metrics.Average(model.TrueProcessingRate)) {
			t.Fatalf("%d -> %d by a rate that is not known", v.Current, v.New)
		}
		if v.New > v.Current && v.Delayed != nil {
			t.Fatalf("a scale down waits while it is scaled up: %+v", v)
		}
		if v.New < v.Current && in.Options.ScaleDownInterval >= time.Millisecond && in.Delayed == nil {
			t.Fatalf("scaled down at once: %+v", v)
		}
	})
}

// text leaves pointers out, whose addresses differ.
func text(v Verdict) string {
	var parts []string
	if v.Delayed != nil {
		parts = append(parts, formatted(*v.Delayed))
	}
	if v.Steps.Effect != nil {
		parts = append(parts, formatted(*v.Steps.Effect))
	}
	v.Delayed, v.Steps.Effect = nil, nil
	return strings.Join(append(parts, formatted(v)), " ")
}

func formatted(value any) string { return fmt.Sprintf("%+v", value) }
