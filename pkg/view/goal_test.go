package view_test

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

func TestHowAWaitStands(t *testing.T) {
	const (
		deployment = "kind: FlinkDeployment\nmetadata: {name: a, generation: 2}\nstatus: "
		judged     = deployment + "{observedGeneration: 2, "
		snapshot   = "kind: FlinkStateSnapshot\nmetadata: {name: a, generation: 1}\nstatus: "
		ready      = `{observedGeneration: 2, conditions: [{type: Ready, status: "True", reason: Ready}]}`
		stalled    = `{observedGeneration: 2, lifecycleState: FAILED, conditions: [{type: Stalled, status: "True", reason: X}]}`
	)
	for name, row := range map[string]struct {
		text, goal string
		want       view.End
		unseen     bool
	}{
		"ready": {deployment + ready, "ready", view.Reached, false},
		"of an older generation": {
			deployment + `{observedGeneration: 1, conditions: [{type: Ready, status: "True"}]}`, "ready", view.Going, true,
		},
		"stalled":                      {deployment + stalled, "ready", view.Never, false},
		"stalled, while it is deleted": {deployment + stalled, "deleted", view.Going, false},
		"gone as asked":                {"", "deleted", view.Reached, false},
		"gone":                         {"", "ready", view.Never, false},
		"ready for the Java operator":  {judged + `lifecycleState: STABLE}`, "ready", view.Reached, false},
		"stable":                       {judged + `lifecycleState: STABLE}`, "stable", view.Reached, false},
		"rolled back, and not stable":  {judged + `lifecycleState: ROLLED_BACK}`, "stable", view.Never, false},
		"deployed, and not stable yet": {judged + `lifecycleState: DEPLOYED}`, "stable", view.Going, false},
		"suspended":                    {judged + `lifecycleState: SUSPENDED}`, "suspended", view.Reached, false},
		"running":                      {judged + `jobStatus: {state: RUNNING}}`, "running", view.Reached, false},
		"ended, and not running":       {judged + `jobStatus: {state: FINISHED}}`, "running", view.Never, false},
		"finished":                     {judged + `jobStatus: {state: FINISHED}}`, "finished", view.Reached, false},
		"failed, and not finished":     {judged + `jobStatus: {state: FAILED}}`, "finished", view.Never, false},
		"complete": {
			snapshot + `{observedGeneration: 1, state: COMPLETED}`, "completed", view.Reached, false,
		},
		"tried again, and not complete": {
			snapshot + `{observedGeneration: 1, state: FAILED}`, "completed", view.Going, false,
		},
		"abandoned, and not complete": {
			snapshot + `{observedGeneration: 1, state: ABANDONED}`, "completed", view.Never, false,
		},
		"a pair that is suspended": {
			"kind: FlinkBlueGreenDeployment\nmetadata: {name: a, generation: 1}\nstatus: {observedGeneration: 1, " +
				`blueGreenState: ACTIVE_BLUE, conditions: [{type: Ready, status: "True", reason: Suspended}]}`,
			"suspended", view.Reached, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var u *unstructured.Unstructured
			if row.text != "" {
				u = kubesim.Parse(t, row.text)
			}
			if got := view.ProgressOf(u, row.goal); got.End != row.want || got.Unseen != row.unseen || got.Line == "" {
				t.Errorf("%+v, want end %d, unseen %t", got, row.want, row.unseen)
			}
		})
	}
}

func TestWhatIsWaitedForWhereNothingIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"kind: FlinkDeployment\nspec: {job: {state: running}}":                                     "ready",
		"kind: FlinkSessionJob\nspec: {job: {state: suspended}}":                                   "suspended",
		"kind: FlinkBlueGreenDeployment\nspec: {template: {spec: {job: {state: suspended}}}}":      "suspended",
		"kind: FlinkStateSnapshot\nspec: {savepoint: {}}":                                          "completed",
		"kind: FlinkDeployment\nmetadata: {deletionTimestamp: \"2026-01-01T12:00:00Z\"}\nspec: {}": "deleted",
	} {
		if got := view.GoalOf(kubesim.Parse(t, text)); got != want || !slices.Contains(view.Goals(), got) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
