package restore

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestARefusalNamesTheNewestCheckpoint(t *testing.T) {
	without := plan.Present(false)
	c := Choose(Facts{
		Purpose: v1beta1.PurposeUpgrade, Mode: v1beta1.UpgradeModeLastState, HighAvailability: without, Completed: true,
		NewestKnown: "s3://c/chk-8",
	})
	if !strings.Contains(c.Message, "The newest checkpoint that is known is s3://c/chk-8. To start from") {
		t.Errorf("%q does not say where to look", c.Message)
	}
}

func TestChoose(t *testing.T) {
	const (
		deploy, redeploy, upgrade = v1beta1.PurposeDeploy, v1beta1.PurposeRedeploy,
			v1beta1.PurposeUpgrade
		stateless, savepoint, lastState = v1beta1.UpgradeModeStateless, v1beta1.UpgradeModeSavepoint,
			v1beta1.UpgradeModeLastState
		marker = v1beta1.LastStatePlaceholder
	)
	there, without := plan.Present(true), plan.Present(false)
	gone, unknown := plan.Absent[bool](), plan.Unknown[bool]("time-out")
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row   string
		facts Facts
		// path that it starts from
		path   string
		reason string
	}{
		"first, with a path": {
			"1", Facts{Purpose: deploy, Mode: savepoint, InitialSavepointPath: "s"}, "s", "the spec names it",
		},
		"first": {
			"2", Facts{Purpose: deploy, Mode: savepoint, Recorded: "r"}, "",
			"there is nothing before",
		},
		"redeploy": {
			"1", Facts{Purpose: redeploy, Mode: lastState, InitialSavepointPath: "s", Recorded: marker, HighAvailability: gone},
			"s", "a person says from where",
		},
		"redeploy without a path": {
			"3", Facts{Purpose: redeploy, Mode: lastState, HighAvailability: there}, "",
			"from where?",
		},
		"stateless": {
			"4", Facts{Purpose: upgrade, Mode: stateless, Recorded: "r", HighAvailability: there}, "", "nothing is asked for",
		},
		"last-state, unknown": {
			"5", Facts{Purpose: upgrade, Mode: lastState, HighAvailability: unknown}, "", "nothing is done on a guess",
		},
		"last-state": {
			"7", Facts{Purpose: upgrade, Mode: lastState, Recorded: "r", HighAvailability: there}, marker,
			"its newest checkpoint, under its ID",
		},
		"last-state, not read yet": {
			"10", Facts{Purpose: upgrade, Mode: lastState, Recorded: "r", HighAvailability: without}, "r",
			"it was given that and has not read it",
		},
		"last-state, it is gone": {
			"9", Facts{Purpose: upgrade, Mode: lastState, Recorded: marker, HighAvailability: without}, "",
			"there was a checkpoint",
		},
		"last-state, it is lost": {
			"8", Facts{Purpose: upgrade, Mode: lastState, HighAvailability: without, Completed: true}, "",
			"one was completed",
		},
		"last-state, lost later": {
			"8", Facts{Purpose: upgrade, Mode: lastState, Recorded: "r", HighAvailability: without, Completed: true}, "",
			"it went further than what it was given",
		},
		"last-state, still there": {
			"7", Facts{Purpose: upgrade, Mode: lastState, HighAvailability: there, Completed: true}, marker,
			"nothing is lost",
		},
		"last-state, none yet": {
			"11", Facts{Purpose: upgrade, Mode: lastState, HighAvailability: without}, "", "there is nothing to lose",
		},
		"last-state, no data": {
			"6", Facts{Purpose: upgrade, Mode: lastState, Recorded: "r", HighAvailability: gone}, "",
			"it may have gone further than what is recorded",
		},
		"savepoint": {
			"12", Facts{Purpose: upgrade, Mode: savepoint, Recorded: "r", LegacySavepoint: "l", HighAvailability: there}, "r",
			"it ended with that",
		},
		"savepoint, marker": {
			"13", Facts{Purpose: upgrade, Mode: savepoint, Recorded: marker, LegacySavepoint: "l"}, "",
			"its last checkpoint was not read",
		},
		"savepoint, older": {
			"14", Facts{Purpose: upgrade, Mode: savepoint, LegacySavepoint: "l"}, "l", "the newest that is known",
		},
		"savepoint, has none": {
			"15", Facts{Purpose: upgrade, Mode: savepoint, NoState: true}, "",
			"there is nothing to lose",
		},
		"savepoint, not known": {
			"16", Facts{Purpose: upgrade, Mode: savepoint}, "", "it cannot be sure",
		},
		"a mode nobody knows": {
			"17", Facts{Purpose: upgrade, Mode: "odd", Recorded: "r"}, "", "it cannot be sure",
		},
	}
	drawn := drawing.Read(t, "restore.go", "Choose")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			row.facts.Kind, row.facts.Namespace, row.facts.Name = v1beta1.JobKindFlinkDeployment, "default", "demo"
			c := Choose(row.facts)
			if err := drawn.Holds(row.row, inWords(c)); err != nil || c.From.Path != row.path {
				t.Errorf("from %q, want %q, %v: %s", c.From.Path, row.path, err, row.reason)
			}
			switch {
			case c.Verdict != plan.Go && (c.Message == "" || c.From != (v1beta1.StartPoint{})):
				t.Errorf("%+v says nothing, or starts", c)
			case c.Verdict == plan.Refuse && !strings.Contains(c.Message, "kubectl patch flinkdeployment demo -n default"):
				t.Errorf("%q does not say what a person can do", c.Message)
			}
		})
	}
	if err := drawn.Shown("Choose", shown...); err != nil {
		t.Error(err)
	}
}

// inWords is a choice in the words of the drawing.
func inWords(c Choice) drawing.Row {
	switch c.Verdict {
	case plan.Wait:
		return drawing.Row{"the job starts": "wait", "reason": string(c.Reason)}
	case plan.Refuse:
		return drawing.Row{"the job starts": "refuse", "reason": string(c.Reason)}
	}
	starts := map[v1beta1.StartKind]string{
		v1beta1.StartEmpty: "empty", v1beta1.StartSavepoint: "from it", v1beta1.StartLastState: "under its ID",
	}
	return drawing.Row{"the job starts": starts[c.From.Kind], "reason": c.From.Reason}
}

// What is refused is told whole: why, the newest checkpoint that is known, and the command with a nonce that is new.
func TestRefusalsAreToldWhole(t *testing.T) {
	got := Choose(Facts{
		Kind: "FlinkDeployment", Namespace: "team", Name: "demo", Purpose: v1beta1.PurposeUpgrade,
		Mode: v1beta1.UpgradeModeSavepoint, NewestKnown: "s3://c/chk-7", RedeployNonce: 5,
	})
	for _, part := range []string{
		"no savepoint or checkpoint of the job is recorded. Manual restore required. The newest checkpoint that is known " +
			"is s3://c/chk-7. To start from a state of your choice: kubectl patch flinkdeployment demo -n team",
		`"savepointRedeployNonce":6}`,
	} {
		if got.Verdict != plan.Refuse || !strings.Contains(got.Message, part) {
			t.Errorf("%s: %q does not say %q", got.Verdict, got.Message, part)
		}
	}
}
