package autoscaler_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
)

// pluggedJob is one that names one plug-in of each kind.
func pluggedJob() *looked {
	j := newJob(
		"metrics.custom-evaluators", "forecast", "metrics.custom-evaluator.forecast.class", "a.Forecast",
		"metrics.custom-evaluator.forecast.horizon", "5 min",
		"scaling.parallelism-alignment.mode", "even", "scaling.parallelism-alignment.mode.even.class", "a.Even",
		"scaling.custom-executors", "second;first", "scaling.custom-executor.second.class", "a.Second",
		"scaling.custom-executor.first.class", "a.First",
	)
	j.config["s3.secret-key"] = "hidden"
	j.plugins = autoscaler.Plugins{"a.Forecast": 0, "a.Even": 0, "a.Second": 5, "a.First": -5}
	j.said = map[string]string{
		"forecast": `{}`, "even": `{"parallelism": {}}`,
		"first":  fmt.Sprintf(`{"parallelism": {%q: 7, %q: 8}}`, vertexID(0), vertexID(1)),
		"second": fmt.Sprintf(`{"parallelism": {%q: 7}}`, vertexID(0)),
	}
	return j
}

// TestPluginsAreAsked tells what becomes of a job of two vertices with parallelism 4, which wants 7 and 8, by what its
// plug-ins say. The second executor lets the first vertex through alone, unless the row says otherwise.
func TestPluginsAreAsked(t *testing.T) {
	both := func(a, b int) string {
		return fmt.Sprintf(`{"parallelism": {%q: %d, %q: %d}}`, vertexID(0), a, vertexID(1), b)
	}
	metric := func(name, average string) string {
		return fmt.Sprintf(`{"metrics": {%q: {%q: {"average": %s}}}}`, vertexID(0), name, average)
	}
	const (
		evaluator = "MetricEvaluator forecast"
		alignment = evaluator + ", AlignmentMode even"
		first     = alignment + ", ScalingExecutor first"
		every     = first + ", ScalingExecutor second"
		silent    = "" // HTTP status 503
	)
	none := []string{"a.First", "a.Second"}
	for name, row := range map[string]struct {
		plugin, says string
		without      []string // classes that have no address
		want         string   // the end, the outcome, and the new parallelism of both
		asked, told  string
	}{
		"an executor lets one vertex through":    {"forecast", `{}`, nil, "Decided Scaled 7 4", every, ""},
		"an executor lets all through":           {"second", both(7, 8), nil, "Decided Scaled 7 8", every, ""},
		"an executor changes a vertex":           {"second", both(6, 8), nil, "Decided Scaled 6 8", every, ""},
		"an executor gives more than key groups": {"second", both(6000, 8), nil, "Failed", every, "6000"},
		"an executor gives none":                 {"second", both(0, 8), nil, "Failed", every, "between 1 and"},
		"an executor knows another vertex":       {"second", `{"parallelism": {"x": 8}}`, nil, "Failed", every, `"x"`},
		"an executor holds all back":             {"second", `{}`, nil, "Decided ScalingVetoed 4 4", every, "second"},
		"an executor does not answer":            {"second", silent, nil, "Failed", every, "503"},
		"an executor says that it cannot":        {"second", `{"problem": "no quota"}`, nil, "Failed", every, "no quota"},
		"an executor answers something else":     {"second", `<html>`, nil, "Failed", every, "no JSON"},
		"an executor has no address":             {"second", silent, none[1:], "Decided Scaled 7 8", first, ""},
		"an alignment counts as it is":           {"even", both(5, 7), none, "Decided Scaled 5 7", alignment, ""},
		"an alignment does not answer":           {"even", silent, none, "Failed", alignment, "503"},
		"an evaluator does not know":             {"forecast", metric("LOAD", "null"), nil, "Decided Scaled 7 4", every, ""},
		"an evaluator foretells half as much": {
			"forecast", metric("TARGET_DATA_RATE", "500"), nil, "Decided Balanced 4 4", evaluator, "",
		},
		"an evaluator does not answer":         {"forecast", silent, nil, "Decided Scaled 7 4", every, "503"},
		"an evaluator has a metric of its own": {"forecast", metric("MINE", "1"), nil, "Decided Scaled 7 4", every, "MINE"},
		"none has an address": {
			"forecast", silent, append([]string{"a.Forecast", "a.Even"}, none...), "Decided Scaled 7 8", "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := pluggedJob()
			if j.said[row.plugin] = row.says; row.says == silent {
				delete(j.said, row.plugin)
			}
			for _, class := range row.without {
				delete(j.plugins, class)
			}
			var r autoscaler.Result
			for minute := 0; len(j.asked) == 0 && minute <= 20; minute++ {
				r = j.look(t, minute, 1000, 990)
			}
			got := string(r.End)
			if r.End == autoscaler.EndDecided {
				to := [2]int{4, 4}
				for _, c := range r.Decision.Applied {
					to[slices.Index([]string{vertexID(0), vertexID(1)}, c.Vertex)] = c.New
				}
				got += fmt.Sprintf(" %s %d %d", r.Decision.Outcome, to[0], to[1])
			}
			var asked []string
			for _, q := range j.asked {
				asked = append(asked, string(q.Kind)+" "+q.Name)
			}
			if all := strings.Join(asked, ", "); got != row.want || all != row.asked {
				t.Errorf("%s after %s, want %s after %s; %v", got, all, row.want, row.asked, r.Events)
			}
			told := fmt.Sprint(r.Events)
			if !strings.Contains(told, row.told) {
				t.Errorf("%q is not told: %s", row.told, told)
			}
		})
	}
}

// Both functions decide by the answers that are kept, and nobody is asked about a sample again.
func TestAnswersAreKeptWithTheSample(t *testing.T) {
	j := pluggedJob()
	r, minute := j.runs(t, 0, 60, 1000, 990)
	if asked := len(j.asked); !r.Decision.Scaled() || minute != 20 || asked != 4 || len(j.kept.Answers) != 4 {
		t.Fatalf("%s at minute %d, %d were asked", r.End, minute, asked)
	}
	if j.look(t, 20, 0, 990); len(j.asked) != 4 {
		t.Errorf("%d were asked about the same sample", len(j.asked))
	}
	delete(j.plugins, "a.Second") // the settings have changed in between
	if again := autoscaler.Decide(j.stored()); len(again.Decision.Applied) != 2 {
		t.Errorf("an executor that has no address any more counts: %v", again.Decision.Applied)
	}
	j.plugins["a.Second"] = 5
	j.kept.Answers = j.kept.Answers[:2]
	if again := autoscaler.Decide(j.stored()); again.End != autoscaler.EndNotAsked || again.Store ||
		again.Asks.Name != "first" || len(again.Events) > 0 {
		t.Errorf("an executor was not asked yet: %s, asks %v", again.End, again.Asks)
	}
}

// TestWhatAPluginIsTold: no secret of the job, its own options without their prefix, and all numbers as JSON.
func TestWhatAPluginIsTold(t *testing.T) {
	j := pluggedJob()
	j.runs(t, 0, 60, 1000, 990)
	evaluator, executor := j.asked[0], j.asked[3]
	text, err := json.Marshal(evaluator)
	if err != nil {
		t.Fatal(err)
	}
	var again plugin.Question
	if err := json.Unmarshal(text, &again); err != nil || len(again.Samples) != len(j.kept.Window) {
		t.Errorf("%v, %d samples: %s", err, len(again.Samples), text)
	}
	if evaluator.Settings["horizon"] != "5 min" || evaluator.Settings["job.autoscaler.enabled"] != "true" ||
		strings.Contains(string(text), "hidden") {
		t.Errorf("settings %v", evaluator.Settings)
	}
	if len(executor.Vertices) != 2 || executor.Vertices[0].Wanted != 7 || executor.Samples != nil {
		t.Errorf("the second executor is asked about %v", executor.Vertices)
	}
	if v := again.Vertices[1]; v.Inputs[0].Vertex != vertexID(0) || v.Metrics["LOAD"].Average != 0.99 ||
		v.Metrics["LOAD"].Current == v.Metrics["LOAD"].Current {
		t.Errorf("vertex %v", v)
	}
}

// Each plug-in is told that the job works a backlog off, and that it does not.
func TestAPluginIsToldOfABacklog(t *testing.T) {
	for _, lag := range []float64{0, 4e8} {
		j := pluggedJob()
		j.said["second"] = `{}`
		j.lag = lag
		for minute := 0; len(j.asked) == 0 && minute <= 20; minute++ {
			j.look(t, minute, 1000, 990)
		}
		if len(j.asked) < 3 {
			t.Fatalf("%d were asked", len(j.asked))
		}
		for _, q := range j.asked {
			if q.Backlog != (lag > 0) {
				t.Errorf("%s with %g records that wait: backlog %t", q.Kind, lag, q.Backlog)
			}
		}
	}
}

// TestAnswersAreSmall: with an answer of each kind about 20 vertices, what is kept stays within the 8 KB of a sample.
func TestAnswersAreSmall(t *testing.T) {
	j := pluggedJob()
	j.quick = true
	in := autoscaler.Sampling{Stored: j.stored(), Job: "j"}
	for minute := range 21 {
		in.Now, in.Observed = benchStart.Add(time.Duration(minute)*time.Minute), chain(20, minute)
		in.Kept = autoscaler.Take(in).Kept
	}
	without := len(samples.Write(in.Kept))
	rates, parallelism := map[string]any{}, map[string]int{}
	for i := range 20 {
		rates[vertexID(i)] = map[string]any{"TARGET_DATA_RATE": map[string]float64{"average": 1234.567 * float64(i+1)}}
		parallelism[vertexID(i)] = i + 1
	}
	scaled := map[string]any{"parallelism": parallelism}
	for _, answer := range []map[string]any{{"metrics": rates}, scaled, scaled} {
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		q := plugin.Question{Kind: plugin.KindExecutor, Name: fmt.Sprint(len(in.Kept.Answers))}
		if answer["metrics"] != nil {
			q.Kind = plugin.KindEvaluator
		}
		for i := range 20 {
			q.Vertices = append(q.Vertices, plugin.Vertex{ID: vertexID(i), MaxParallelism: 128})
		}
		a := q.Read(text)
		if a.Problem != "" {
			t.Fatal(a.Problem)
		}
		in.Kept.Answers = append(in.Kept.Answers, a)
	}
	if with := len(samples.Write(in.Kept)); with > 8<<10 {
		t.Errorf("%d bytes with answers, %d without", with, without)
	} else {
		t.Logf("%d bytes with answers, %d without", with, without)
	}
}
