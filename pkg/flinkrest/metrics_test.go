package flinkrest

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestJobMetrics(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "metrics")
		got, err := c.Metrics(background, job(1), []string{"numRestarts", "fullRestarts", "numberOfCompletedCheckpoints"})
		wantKind(t, err, nil)
		if got["numRestarts"] != "0" || got["numberOfCompletedCheckpoints"] == "" {
			t.Errorf("got %v", got)
		}
		c, _ = play(t, version, "metrics-one-unknown")
		got, err = c.Metrics(background, job(1), []string{"numRestarts", "noSuchMetric"})
		wantKind(t, err, nil)
		if diff := cmp.Diff(map[string]string{"numRestarts": "0"}, got); diff != "" {
			t.Errorf("an unknown metric is left out (-want +got):\n%s", diff)
		}
		c, _ = play(t, version, "metrics-unknown-job")
		got, err = c.Metrics(background, job(404), []string{"numRestarts"})
		wantKind(t, err, nil)
		if len(got) != 0 {
			t.Errorf("an unknown job has no metrics, and that is no error: %v", got)
		}
		c, _ = play(t, version, "jobmanager-metrics")
		got, err = c.JobManagerMetrics(background, []string{"taskSlotsTotal", "taskSlotsAvailable"})
		wantKind(t, err, nil)
		if diff := cmp.Diff(map[string]string{"taskSlotsTotal": "4", "taskSlotsAvailable": "2"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestAggregatedMetrics(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, r := play(t, version, "vertex-metrics")
		vertex := r.segment(5)
		got, err := c.VertexMetrics(background, job(1), vertex, []string{"busyTimeMsPerSecond", "numRecordsOut"})
		wantKind(t, err, nil)
		records := got["numRecordsOut"]
		if len(got) != 2 || records.Sum < records.Max || records.Max < records.Min || math.IsNaN(float64(records.Skew)) {
			t.Errorf("got %+v", got)
		}
		c, _ = play(t, version, "vertex-metric-names")
		names, err := c.VertexMetricNames(background, job(1), vertex)
		wantKind(t, err, nil)
		if !strings.Contains(strings.Join(names, " ")+" ", " busyTimeMsPerSecond ") || len(names) < 20 {
			t.Errorf("got %d names: %v", len(names), names)
		}
		memory := []string{"Status.JVM.Memory.Heap.Max", "Status.JVM.Memory.Heap.Used"}
		c, _ = play(t, version, "taskmanager-metrics")
		got, err = c.TaskManagerMetrics(background, memory)
		wantKind(t, err, nil)
		if got[memory[0]].Max < got[memory[1]].Max || got[memory[1]].Max <= 0 {
			t.Errorf("got %+v", got)
		}
		c, _ = play(t, version, "taskmanager-metrics-one-unknown")
		got, err = c.TaskManagerMetrics(background, []string{memory[0], "noSuchMetric"})
		wantKind(t, err, nil)
		if len(got) != 0 {
			t.Errorf("one unknown name empties the whole answer: %v", got)
		}
	})
}

func TestNoNamesAskNothing(t *testing.T) {
	c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("without names Flink would list all of them") })
	got, err := c.Metrics(background, job(1), nil)
	wantKind(t, err, nil)
	if len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// TestManyNamesAreAskedInSeveralLines: Flink's server takes a request line of 4096 bytes.
func TestManyNamesAreAskedInSeveralLines(t *testing.T) {
	requests := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if len(r.RequestURI) > 4000 {
			t.Errorf("a request line of %d bytes", len(r.RequestURI))
		}
		list := []map[string]string{}
		for _, name := range strings.Split(r.URL.Query().Get("get"), ",") {
			list = append(list, map[string]string{"id": name, "value": name})
		}
		_ = json.NewEncoder(w).Encode(list) // the client may have gone
	})
	var names []string
	for i := range 200 {
		names = append(names, id("metric", i))
	}
	got, err := c.Metrics(background, job(1), names)
	wantKind(t, err, nil)
	if len(got) != 200 || requests < 2 {
		t.Errorf("%d values in %d requests", len(got), requests)
	}
}

func TestQueriesKeepEveryName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.StringMatching(`[a-zA-Z_.$ ä-]{1,400}`)).Draw(t, "names")
		var got []string
		for _, list := range queries(names) {
			if strings.Contains(list, ",") && len(url.QueryEscape(list)) > maxQuery {
				t.Fatalf("a list of %d bytes", len(url.QueryEscape(list)))
			}
			got = append(got, strings.Split(list, ",")...)
		}
		if diff := cmp.Diff(names, got); diff != "" && len(names)+len(got) > 0 {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestNumbers(t *testing.T) {
	rows := map[string]struct {
		text   string
		want   float64
		bad    bool
		reason string
	}{
		"number":        {`1.5`, 1.5, false, "as it stands"},
		"string":        {`"4"`, 4, false, "some versions quote"},
		"not a number":  {`"NaN"`, math.NaN(), false, "what Jackson writes"},
		"infinite":      {`"Infinity"`, math.Inf(1), false, "what Jackson writes"},
		"minus":         {`"-Infinity"`, math.Inf(-1), false, "what Jackson writes"},
		"null":          {`null`, math.NaN(), false, "no value"},
		"text":          {`"many"`, 0, true, "not a number"},
		"empty":         {`""`, 0, true, "not a number"},
		"object":        {`{}`, 0, true, "not a number"},
		"true":          {`true`, 0, true, "not a number"},
		"exponent form": {`5.18979584E8`, 518979584, false, "what Jackson writes for large ones"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			var got Number
			err := json.Unmarshal([]byte(row.text), &got)
			if (err != nil) != row.bad {
				t.Fatalf("%s: %v", row.reason, err)
			}
			if same := float64(got) == row.want || math.IsNaN(float64(got)) && math.IsNaN(row.want); !row.bad && !same {
				t.Errorf("%s: got %v", row.reason, got)
			}
			if row.bad {
				return
			}
			text, err := json.Marshal(got)
			var again Number
			if err != nil || json.Unmarshal(text, &again) != nil || (float64(again) != float64(got) &&
				!math.IsNaN(float64(got))) {
				t.Errorf("does not survive printing: %s, %v", text, err)
			}
		})
	}
}
