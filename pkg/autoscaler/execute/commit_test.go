package execute

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Room, quota and memory are asked for what is carried out, not for what was proposed before executors changed it.
func TestResourcesAreThoseOfWhatIsCarriedOut(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	p := Proposal{
		Outcome: OutcomeReady, Changes: []Change{{Vertex: "a", Current: 2, New: 8}},
		Metrics: map[string]model.Evaluation{"a": {model.Parallelism: model.Now(2)}},
	}
	rows := map[string]struct {
		carried int
		options model.Options
		asked   int
		outcome Outcome
	}{
		"fewer than proposed fit":          {3, model.Options{TaskManagerCPU: 1, SlotsPerTaskManager: 1}, 3, OutcomeScaled},
		"as many as proposed do not":       {8, model.Options{TaskManagerCPU: 1, SlotsPerTaskManager: 1}, 8, OutcomeNoRoom},
		"fewer than proposed keep a quota": {3, quotaOf(4), 3, OutcomeScaled},
		"as many as proposed do not keep":  {5, quotaOf(4), 5, OutcomeQuota},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			asked := 0
			in := Input{
				Options: row.options, Now: now, TaskManagerMemory: 1 << 30,
				Topology: model.MakeTopology([]model.Vertex{{ID: "a", Parallelism: 2, SlotSharingGroup: "g"}}),
				Metrics:  model.EvaluatedMetrics{Global: model.Evaluation{model.TaskSlotsUsed: model.Now(2)}},
				Schedule: func(a capacity.Ask) bool {
					asked = a.New
					return a.New <= 5
				},
			}
			d, err := Commit(in, p, []Change{{Vertex: "a", Current: 2, New: row.carried}})
			if err != nil || d.Outcome != row.outcome || asked != row.asked {
				t.Errorf("%s, asked for %d, %v; want %s and %d", d.Outcome, asked, err, row.outcome, row.asked)
			}
			if d.Scaled() != (len(d.Applied) > 0) {
				t.Errorf("%d changes are carried out with outcome %s", len(d.Applied), d.Outcome)
			}
		})
	}
}

func quotaOf(cpu float64) model.Options {
	return model.Options{TaskManagerCPU: 1, SlotsPerTaskManager: 1, HasQuotaCPU: true, QuotaCPU: cpu}
}

// Restarts are stored by their time: one of the same instant takes the place of the one before.
func TestARestartOfTheSameInstantReplacesTheStoredOne(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	before := []model.Restart{
		{Time: now.Add(-time.Hour), Known: true, Duration: time.Minute}, {Time: now, Known: true, Duration: time.Second},
	}
	d, err := Commit(Input{Now: now, Restarts: before}, Proposal{Outcome: OutcomeReady}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.State.Restarts; len(got) != 2 || got[0] != before[0] || got[1] != (model.Restart{Time: now}) {
		t.Errorf("restarts %+v, want the one an hour ago and a new one", got)
	}
	if len(before) != 2 || !before[1].Known {
		t.Error("what was given is changed")
	}
}
