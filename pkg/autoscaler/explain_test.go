package autoscaler_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/scale"
)

// decide runs the cycle of a job whose window is full, with options changed, and explains it.
func decide(t *testing.T, vertices int, change func(*autoscaler.Input)) (autoscaler.Result, autoscaler.Explanation) {
	t.Helper()
	var state model.State
	for minute := range 20 {
		state = autoscaler.Run(chainAt(vertices, minute, state)).State
	}
	in := chainAt(vertices, 20, state)
	if change != nil {
		change(&in)
	}
	r := autoscaler.Run(in)
	if r.End != autoscaler.EndDecided {
		t.Fatalf("ended %s: %v", r.End, r.Err)
	}
	return r, autoscaler.Explain(in.Now, r)
}

func set(key, value string) func(*autoscaler.Input) {
	return func(in *autoscaler.Input) { in.Config["job.autoscaler."+key] = value }
}

// all runs several changes.
func all(changes ...func(*autoscaler.Input)) func(*autoscaler.Input) {
	return func(in *autoscaler.Input) {
		for _, change := range changes {
			change(in)
		}
	}
}

// wasScaled gives the second vertex a past, from half its parallelism to what it has.
func wasScaled(rate, expected float64) func(*autoscaler.Input) {
	return func(in *autoscaler.Input) {
		in.State.History = map[string][]model.Scaling{vertexID(1): {{
			Time: in.Now.Add(-time.Hour), Current: 2, New: 4, Metrics: model.Evaluation{
				model.TrueProcessingRate:     {Current: model.NaN, Average: rate},
				model.ExpectedProcessingRate: {Current: expected, Average: model.NaN},
			},
		}}}
	}
}

func TestTheRuleThatDecidedIsNamed(t *testing.T) {
	half := []execute.Executor{{
		Name: "half", Class: "x", Apply: func(_ execute.Proposal, c []execute.Change) ([]execute.Change, error) {
			c[1].New--
			return c, nil
		},
	}}
	for name, row := range map[string]struct {
		change  func(*autoscaler.Input)
		outcome execute.Outcome
		current int
		now     int
		rule    scale.Rule
	}{
		"the target":    {set("scaling.parallelism-alignment.mode", "OFF"), "Scaled", 4, 7, scale.RuleTarget},
		"the alignment": {set("scaling.parallelism-alignment.mode", "EVENLY_SPREAD"), "Scaled", 4, 8, scale.RuleAlignment},
		"one step": {
			all(set("scale-up.max-factor", "0.2"), set("utilization.max", "0.8")), "Scaled", 4, 5, scale.RuleMaxUp,
		},
		"the upper bound": {set("vertex.max-parallelism", "6"), "Scaled", 4, 6, scale.RuleVertexMax},
		"within bounds":   {set("utilization.max", "1.0"), "Balanced", 4, 4, autoscaler.RuleWithinBounds},
		"excluded":        {set("vertex.exclude.ids", vertexID(1)), "Scaled", 4, 4, autoscaler.RuleExcluded},
		"switched off":    {set("scaling.enabled", "false"), "ScalingDisabled", 4, 4, autoscaler.RuleHeldBack},
		"excluded period": {set("excluded.periods", "00:00-23:59"), "ExcludedPeriod", 4, 4, autoscaler.RuleHeldBack},
		"memory pressure": {
			set("memory.heap-usage.threshold", "0.4"), "MemoryPressure", 4, 4, autoscaler.RuleHeldBack,
		},
		"an executor": {
			func(in *autoscaler.Input) { in.Executors = half }, "Scaled", 4, 7, autoscaler.RuleExecutor,
		},
		"a step in vain": {
			all(set("scaling.effectiveness.detection.enabled", "true"), wasScaled(1050, 2100)), "Scaled", 4, 4,
			scale.RuleIneffective,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, e := decide(t, 3, row.change)
			v := e.Vertices[1]
			if e.Outcome != row.outcome || v.Current != row.current || v.New != row.now || v.Rule != row.rule {
				t.Errorf("%s, %d -> %d by %s, want %s, %d -> %d by %s\n%s", e.Outcome, v.Current, v.New, v.Rule, row.outcome,
					row.current, row.now, row.rule, e)
			}
			if !strings.Contains(e.String(), string(row.rule)) || !strings.Contains(e.String(), v.Vertex) {
				t.Errorf("the text does not name rule and vertex: %s", e)
			}
			if stored := r.State.Overrides[v.Vertex]; r.Decision.Scaled() && stored != itoa(v.New) {
				t.Errorf("stored %s, explained %d", stored, v.New)
			}
		})
	}
}

func itoa(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func TestWhatCameOfTheLastScalingIsTold(t *testing.T) {
	_, e := decide(t, 3, wasScaled(400, 900))
	p := e.Vertices[1].Past
	if p == nil || p.From != 2 || p.To != 4 || p.Before != 400 || p.Predicted != 900 ||
		p.Actual != e.Vertices[1].Seen.Capacity {
		t.Errorf("past %+v", p)
	}
	if text := e.String(); !strings.Contains(text, "predicted to take it from 400.00/s to 900.00/s") {
		t.Errorf("the text does not tell it: %s", text)
	}
	if e.Vertices[0].Past != nil {
		t.Error("a vertex that was never scaled has a past")
	}
	_, e = decide(t, 3, all(wasScaled(400, 900), func(in *autoscaler.Input) {
		in.State.History[vertexID(1)][0].New = 3
	}))
	if e.Vertices[1].Past != nil {
		t.Error("a vertex that has another parallelism since is compared with a prediction for its old one")
	}
}

func TestExplanationsSurviveBeingStored(t *testing.T) {
	_, e := decide(t, 3, nil)
	e.Vertices[0].Seen.DownAbove = model.Rate(model.Inf)
	content, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var again autoscaler.Explanation
	if err := json.Unmarshal(content, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, again, cmp.Comparer(sameRate)); diff != "" {
		t.Error(diff)
	}
	if err := json.Unmarshal([]byte(`{"vertices":[{"needed":"much"}]}`), &again); err == nil {
		t.Error("a rate that is a word was read")
	}
}

func sameRate(a, b model.Rate) bool { return a == b || a != a && b != b }

func TestOnlyNewExplanationsAreKept(t *testing.T) {
	_, scaled := decide(t, 3, nil)
	_, balanced := decide(t, 3, set("utilization.max", "1.0"))
	later := balanced
	later.Time = later.Time.Add(time.Minute)
	kept := autoscaler.Keep(nil, balanced)
	if again := autoscaler.Keep(kept, later); len(again) != 1 || !again[0].Time.Equal(balanced.Time) {
		t.Errorf("a job that stays in balance is explained again: %v", again)
	}
	for range autoscaler.MaxKept {
		kept = autoscaler.Keep(autoscaler.Keep(kept, scaled), later)
	}
	if len(kept) != autoscaler.MaxKept || kept[len(kept)-1].Outcome != execute.OutcomeBalanced {
		t.Errorf("%d are kept, want the newest %d", len(kept), autoscaler.MaxKept)
	}
}
