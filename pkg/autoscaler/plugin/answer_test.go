package plugin

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

func TestAnAnswerFitsItsQuestion(t *testing.T) {
	vertices := []Vertex{{ID: "a", MaxParallelism: 8}}
	for name, row := range map[string]struct {
		kind       Kind
		text, told string
	}{
		"nothing":               {KindExecutor, `{}`, ""},
		"one that is known":     {KindExecutor, `{"parallelism": {"a": 8}}`, ""},
		"more than key groups":  {KindExecutor, `{"parallelism": {"a": 9}}`, "parallelism 9 of vertex a"},
		"less than one":         {KindAlignment, `{"parallelism": {"a": 0}}`, "parallelism 0"},
		"another vertex":        {KindAlignment, `{"parallelism": {"b": 1}}`, `vertex "b"`},
		"a part of a number":    {KindAlignment, `{"parallelism": {"a": 1.5}}`, "no JSON of that form"},
		"a metric":              {KindEvaluator, `{"metrics": {"a": {"LOAD": {"average": "Infinity"}}}}`, ""},
		"a metric of nobody":    {KindEvaluator, `{"metrics": {"a": {"load": {"average": 1}}}}`, `metric "load"`},
		"of another vertex":     {KindEvaluator, `{"metrics": {"b": {}}}`, `vertex "b"`},
		"a text":                {KindEvaluator, `{"metrics": {"a": {"LOAD": {"average": "much"}}}}`, "a rate"},
		"a problem":             {KindEvaluator, `{"problem": "no model yet"}`, "no model yet"},
		"another form":          {KindEvaluator, `[]`, "no JSON of that form"},
		"parallelism for rates": {KindEvaluator, `{"parallelism": {"b": 0}}`, ""},
		"a long problem":        {KindEvaluator, `{"problem": "` + strings.Repeat("x", 5000) + `"}`, "xxx"},
	} {
		a := Question{Kind: row.kind, Name: "mine", Vertices: vertices}.Read([]byte(row.text))
		fits := strings.Contains(a.Problem, row.told) && (a.Problem == "") == (row.told == "")
		if !fits || len(a.Problem) > maxProblem || a.Kind != row.kind || a.Name != "mine" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	a := Question{Kind: KindEvaluator, Vertices: vertices}.Read([]byte(`{"metrics": {"a": {"LOAD": {"average": 1}}}}`))
	if e := a.Evaluations()["a"][model.Load]; e.Average != 1 || e.Current == e.Current {
		t.Errorf("what an answer does not say is not known: %v", e)
	}
}

func TestPluginsThatCannotBeAskedAreTold(t *testing.T) {
	c := conf.Config{
		"job.autoscaler.metrics.custom-evaluators": "a", "job.autoscaler.scaling.custom-executors": "b;c",
		"job.autoscaler.scaling.custom-executor.b.class":                     "org.B",
		"kubernetes.operator.job.autoscaler.scaling.custom-executor.c.class": "org.C",
		"job.autoscaler.scaling.parallelism-alignment.mode.d.class":          "org.D",
	}
	told := Unknown(c, "d", func(class string) bool { return class == "org.C" })
	want := []string{"custom-evaluator.a.class is not set", "class org.B", "class org.D"}
	for i, text := range want {
		if len(told) != len(want) || !strings.Contains(told[i], text) {
			t.Fatalf("%q, want %q", told, want)
		}
	}
	if told := Unknown(conf.Config{}, "", func(string) bool { return false }); told != nil {
		t.Errorf("of a job that names none: %q", told)
	}
}
