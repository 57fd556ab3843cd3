package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

func TestTheExample(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(answer))
	defer server.Close()
	for name, row := range map[string]struct {
		headroom string
		rate     float64
		want     float64
		problem  string
	}{
		"a fifth more":            {"", 1000, 1200, ""},
		"half as much again":      {"0.5", 1000, 1500, ""},
		"the rate is not known":   {"", model.NaN, model.NaN, ""},
		"the option is no number": {"much", 1000, model.NaN, `"much" is no number`},
	} {
		source := model.Vertex{ID: "source", MaxParallelism: 8}
		sink := model.Vertex{ID: "sink", MaxParallelism: 8, Inputs: []model.Edge{{Vertex: "source"}}}
		metrics := model.Evaluation{model.TargetDataRate: model.Over(row.rate)}
		q := plugin.Question{
			APIVersion: plugin.APIVersion, Kind: plugin.KindEvaluator, Name: "headroom",
			Settings: conf.Config{"headroom": row.headroom},
			Vertices: []plugin.Vertex{plugin.About(source, metrics), plugin.About(sink, metrics)},
		}
		body, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		text, err := extension.Asker{}.Post(t.Context(), server.URL, 10*time.Second, body)
		if err != nil {
			t.Fatal(err)
		}
		a := q.Read(text)
		said := a.Evaluations()
		got := said["source"].Average(model.TargetDataRate)
		if !(got == row.want || got != got && row.want != row.want) || len(said["sink"]) > 0 ||
			!strings.Contains(a.Problem, row.problem) || (a.Problem == "") != (row.problem == "") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	answered, err := http.Post(server.URL, "application/json", strings.NewReader("?"))
	if err != nil {
		t.Fatal(err)
	}
	if answered.Body.Close(); answered.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d for what is no question", answered.StatusCode)
	}
}
