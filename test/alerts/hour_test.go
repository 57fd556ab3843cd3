package alerts

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// recorded are the messages of testdata/healthy-hour.jsonl.gz: what the functions pushed while jobs came, were changed,
// stopped, went on and were scaled over the models of test/scenario. make healthy-hour records them anew.
func recorded(t *testing.T) (messages [][]byte) {
	t.Helper()
	packed, err := os.Open("testdata/healthy-hour.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	messages = bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(messages) < 60 {
		t.Fatalf("%d messages in an hour", len(messages))
	}
	return messages
}

// fed is a Prometheus that got the messages; from and to are the times of the first and the last sample.
func fed(t *testing.T, messages [][]byte) (p *prometheus, from, to time.Time) {
	t.Helper()
	p = newPrometheus(t)
	for _, m := range messages {
		p.push(m)
	}
	return p, time.UnixMilli(p.Head().MinTime()), time.UnixMilli(p.Head().MaxTime())
}

func TestAHealthyHour(t *testing.T) {
	p, from, to := fed(t, recorded(t))
	if long := to.Sub(from); long < 59*time.Minute || long > 90*time.Minute {
		t.Fatalf("the hour has %s", long)
	}
	for alert, a := range p.watched(readRules(t), from, to) {
		t.Errorf("%s fires from minute %d: %s", alert, a.minute, a.text)
	}
	for expr, want := range map[string]float64{
		`sum(flink_k8soperator_namespace_Count{resourcetype="FlinkDeployment"})`:                        3,
		`sum(flink_k8soperator_namespace_Lifecycle_State_STABLE_Count{resourcetype="FlinkSessionJob"})`: 1,
		// an hour in which nothing happens would not fire either
		`sum(sum_over_time(flink_operator_lifecycle_transitions_total{flink_state="UPGRADING"}[2h])) > bool 3`: 1,
		`sum(sum_over_time(flink_operator_lifecycle_transitions_total{flink_state="SUSPENDED"}[2h]))`:          1,
		`sum(sum_over_time(flink_operator_review_duration_seconds_count[2h]))`:                                 6,
		`min(flink_operator_canary_unanswered_time_seconds)`:                                                   0,
	} {
		if got := p.query(expr, to); len(got) != 1 || got[0].F != want {
			t.Errorf("%s is %v, want %v", expr, got, want)
		}
	}
	p.showsOnDashboards(from, to)
}

// The same hour, of which the second half did not come: that it is quiet is not for want of anything to fire.
func TestAnHourThatBreaksOffFires(t *testing.T) {
	messages := recorded(t)
	p, from, to := fed(t, messages[:len(messages)*3/4])
	if found := p.watched(readRules(t), from, to.Add(30*time.Minute)); found["FlinkSweepMissing"].minute == 0 {
		t.Errorf("fired %v, want FlinkSweepMissing", found)
	}
}

// unsaid are the panels to which such an hour has nothing to say, and why.
var unsaid = map[string]string{
	"Longest waits": "nothing waits", "Stalled for": "nothing waits", "Passes that fail": "none does",
	"Requests": "the models are asked without", "Duration of requests": "the models are asked without",
	"Lifecycle state": "of kube-state-metrics", "Job state": "of kube-state-metrics",
	"Conditions": "of kube-state-metrics",
}

// showsOnDashboards holds that each panel shows something of an hour, but for those that are unsaid.
func (p *prometheus) showsOnDashboards(from, to time.Time) {
	boards, err := filepath.Glob("../../config/monitoring/dashboards/*.json")
	if err != nil || len(boards) != 3 {
		p.t.Fatalf("%v, %v", boards, err)
	}
	for _, path := range boards {
		text, err := os.ReadFile(path)
		if err != nil {
			p.t.Fatal(err)
		}
		var board struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(text, &board); err != nil {
			p.t.Fatal(err)
		}
		for _, panel := range board.Panels {
			for _, target := range panel.Targets {
				if strings.Contains(target.Expr, "flink_operator_shard_duration") {
					continue // a sweep of one page has none
				}
				shown := slices.ContainsFunc([]string{"demo", "scaled"}, func(name string) bool {
					expr := strings.NewReplacer("$namespace", "flink", "$name", name).Replace(target.Expr)
					return p.shows(expr, from, to)
				})
				if why := unsaid[panel.Title]; shown == (why != "") {
					p.t.Errorf("%s, panel %q shows something: %v; %s", filepath.Base(path), panel.Title, shown, why)
				}
			}
		}
	}
}

// shows reports whether an expression gives anything at any minute.
func (p *prometheus) shows(expr string, from, to time.Time) bool {
	p.t.Helper()
	q, err := p.engine.NewRangeQuery(p.t.Context(), p, nil, expr, from, to, time.Minute)
	if err != nil {
		p.t.Fatalf("%s: %v", expr, err)
	}
	defer q.Close()
	all, err := q.Exec(p.t.Context()).Matrix()
	if err != nil {
		p.t.Fatalf("%s: %v", expr, err)
	}
	return len(all) > 0
}
