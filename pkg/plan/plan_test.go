package plan_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A part is one of three things. The zero value is Unknown, so that what nobody looked at leads to nothing.
func TestObserved(t *testing.T) {
	for name, row := range map[string]struct {
		part                     plan.Observed[int]
		present, absent, unknown bool
		why                      string
	}{
		"present":        {plan.Present(7), true, false, false, ""},
		"absent":         {plan.Absent[int](), false, true, false, ""},
		"unknown":        {plan.Unknown[int]("timeout"), false, false, true, "timeout"},
		"nobody looked":  {plan.Observed[int]{}, false, false, true, ""},
		"present, empty": {plan.Present(0), true, false, false, ""},
	} {
		value, found := row.part.Get()
		if found != row.present || row.part.IsPresent() != row.present || row.part.IsAbsent() != row.absent ||
			row.part.IsUnknown() != row.unknown || row.part.Why() != row.why || (value == 7) != (name == "present") {
			t.Errorf("%s: %d, %t, %+v", name, value, found, row.part)
		}
	}
}

// A quiet plan changes nothing but, perhaps, the status.
func TestIsQuiet(t *testing.T) {
	for name, row := range map[string]struct {
		plan  plan.Plan
		quiet bool
		text  string
	}{
		"nothing":     {plan.Plan{Situation: plan.Steady}, true, "Steady"},
		"a status":    {plan.Plan{Situation: plan.Steady, Status: 1}, true, "Steady"},
		"a next look": {plan.Plan{Situation: plan.Steady, Requeue: plan.RequeueSoon}, true, "Steady"},
		"an action": {
			plan.Plan{Situation: plan.Steady, Actions: []plan.Action{plan.WakeClock{}}}, false, "Steady: wake the clock",
		},
		"a last action": {
			plan.Plan{Situation: plan.Steady, Finish: []plan.Action{plan.WakeClock{}}}, false, "Steady: wake the clock",
		},
		"both": {
			plan.Plan{
				Situation: plan.Steady, Actions: []plan.Action{plan.Record{Why: "it"}}, Finish: []plan.Action{plan.WakeClock{}},
			},
			false, "Steady: record it, wake the clock",
		},
		"an event":      {plan.Plan{Situation: plan.Steady, Events: []plan.Event{{}}}, false, "Steady"},
		"another round": {plan.Plan{Situation: plan.Steady, Requeue: plan.RequeueNow}, false, "Steady"},
	} {
		if row.plan.IsQuiet() != row.quiet || row.plan.String() != row.text {
			t.Errorf("%s: quiet %t, %q, want %t, %q", name, row.plan.IsQuiet(), row.plan, row.quiet, row.text)
		}
	}
}

func TestStatusIn(t *testing.T) {
	p := plan.Plan{Status: "at the end"}
	for name, row := range map[string]struct {
		failed plan.Action
		want   any
	}{
		"the end": {nil, "at the end"}, "a record": {plan.Record{Status: "before"}, "before"},
		"an action that stores none": {plan.WakeClock{}, nil},
	} {
		if got := p.StatusIn(row.failed); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

// An action says on one line what it does to which data.
func TestDeleteHADataSays(t *testing.T) {
	for want, data := range map[string]plan.HAData{
		"delete high-availability data, 2 ConfigMaps": {ConfigMaps: make([]plan.ObjectVersion, 2)},
		"delete high-availability data, ZooKeeper node /flink/a": {
			Nodes: &plan.HANodes{Location: znode.Location{Path: "/flink/a"}},
		},
	} {
		if got := (plan.DeleteHAData{HAData: data}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
