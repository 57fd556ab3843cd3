package restore

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestARefusalNamesTheNewestCheckpointThatIsKnown(t *testing.T) {
	without := plan.Present(false)
	c := Choose(Facts{
		Purpose: v1beta1.PurposeUpgrade, Mode: v1beta1.UpgradeModeLastState, HighAvailability: without, Completed: true,
		NewestKnown: "s3://c/chk-8",
	})
	if !strings.Contains(c.Message, "The newest checkpoint that is known is s3://c/chk-8. To start from") {
		t.Errorf("%q does not say where to look", c.Message)
	}
}

// R10
func TestChoose(t *testing.T) {
	const (
		deploy, redeploy, upgrade = v1beta1.PurposeDeploy, v1beta1.PurposeRedeploy,
			v1beta1.PurposeUpgrade
		stateless, savepoint, lastState = v1beta1.UpgradeModeStateless, v1beta1.UpgradeModeSavepoint,
			v1beta1.UpgradeModeLastState
		empty, fromPath, fromHA              = v1beta1.StartEmpty, v1beta1.StartSavepoint, v1beta1.StartLastState
		none                    plan.Verdict = plan.Refuse
		marker                               = v1beta1.LastStatePlaceholder
	)
	there, without := plan.Present(true), plan.Present(false)
	gone, unknown := plan.Absent[bool](), plan.Unknown[bool]("time-out")
	type from struct {
		kind   v1beta1.StartKind
		path   string
		reason string
	}
	refused := func(reason string) from { return from{reason: reason} }
	rows := map[string]struct {
		facts   Facts
		verdict plan.Verdict
		want    from
		reason  string
	}{
		"first, with a path": {
			Facts{Purpose: deploy, Mode: savepoint, InitialSavepointPath: "s"}, plan.Go,
			from{fromPath, "s", "InitialSavepointPath"}, "the spec names it",
		},
		"first": {
			Facts{Purpose: deploy, Mode: savepoint, Recorded: "r"}, plan.Go, from{empty, "", "FirstStart"},
			"there is nothing before",
		},
		"redeploy": {
			Facts{Purpose: redeploy, Mode: lastState, InitialSavepointPath: "s", Recorded: marker, HighAvailability: gone},
			plan.Go, from{fromPath, "s", "InitialSavepointPath"}, "a person says from where",
		},
		"redeploy without a path": {
			Facts{Purpose: redeploy, Mode: lastState, HighAvailability: there}, none, refused("NoInitialSavepoint"),
			"from where?",
		},
		// T3.57
		"stateless": {
			Facts{Purpose: upgrade, Mode: stateless, Recorded: "r", HighAvailability: there}, plan.Go,
			from{empty, "", "Stateless"}, "nothing is asked for",
		},
		"last-state, unknown": {
			Facts{Purpose: upgrade, Mode: lastState, HighAvailability: unknown}, plan.Wait,
			refused("HighAvailabilityUnknown"), "nothing is done on a guess",
		},
		// T3.12
		"last-state": {
			Facts{Purpose: upgrade, Mode: lastState, Recorded: "r", HighAvailability: there}, plan.Go,
			from{fromHA, marker, "HighAvailabilityData"}, "its newest checkpoint, under its ID",
		},
		"last-state, not read yet": {
			Facts{Purpose: upgrade, Mode: lastState, Recorded: "r", HighAvailability: without}, plan.Go,
			from{fromPath, "r", "NotRestoredYet"}, "it was given that and has not read it",
		},
		"last-state, it is gone": {
			Facts{Purpose: upgrade, Mode: lastState, Recorded: marker, HighAvailability: without}, none,
			refused("RestoreFailed"), "there was a checkpoint",
		},
		"last-state, it is lost": {
			Facts{Purpose: upgrade, Mode: lastState, HighAvailability: without, Completed: true}, none,
			refused("RestoreFailed"),
			"one was completed",
		},
		"last-state, lost later": {
			Facts{Purpose: upgrade, Mode: lastState, Recorded: "r", HighAvailability: without, Completed: true}, none,
			refused("RestoreFailed"),
			"it went further than what it was given",
		},
		"last-state, still there": {
			Facts{Purpose: upgrade, Mode: lastState, HighAvailability: there, Completed: true}, plan.Go,
			from{fromHA, marker, "HighAvailabilityData"},
			"nothing is lost",
		},
		// T3.12
		"last-state, none yet": {
			Facts{Purpose: upgrade, Mode: lastState, HighAvailability: without}, plan.Go,
			from{fromHA, "", "NoCheckpointYet"}, "there is nothing to lose",
		},
		"last-state, no data": {
			Facts{Purpose: upgrade, Mode: lastState, Recorded: "r", HighAvailability: gone}, none, refused("RestoreFailed"),
			"it may have gone further than what is recorded",
		},
		// T3.13
		"savepoint": {
			Facts{Purpose: upgrade, Mode: savepoint, Recorded: "r", LegacySavepoint: "l", HighAvailability: there}, plan.Go,
			from{fromPath, "r", "RecordedPath"}, "it ended with that",
		},
		"savepoint, marker": {
			Facts{Purpose: upgrade, Mode: savepoint, Recorded: marker, LegacySavepoint: "l"}, none,
			refused("LastStateUnknown"), "its last checkpoint was not read",
		},
		// T3.4
		"savepoint, older": {
			Facts{Purpose: upgrade, Mode: savepoint, LegacySavepoint: "l"}, plan.Go,
			from{fromPath, "l", "LastSavepoint"}, "the newest that is known",
		},
		"savepoint, has none": {
			Facts{Purpose: upgrade, Mode: savepoint, NoState: true}, plan.Go, from{empty, "", "NoStateYet"},
			"there is nothing to lose",
		},
		"savepoint, not known": {
			Facts{Purpose: upgrade, Mode: savepoint}, none, refused("StateUnknown"), "it cannot be sure",
		},
		"a mode nobody knows": {
			Facts{Purpose: upgrade, Mode: "odd", Recorded: "r"}, none, refused("UnknownUpgradeMode"), "it cannot be sure",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			row.facts.Namespace, row.facts.Name = "default", "demo"
			c := Choose(row.facts)
			if c.Verdict != row.verdict {
				t.Fatalf("verdict %v, want %v: %s", c.Verdict, row.verdict, row.reason)
			}
			if row.verdict != plan.Go {
				if string(c.Reason) != row.want.reason || c.Message == "" || c.From != (v1beta1.StartPoint{}) {
					t.Errorf("got %+v, want reason %s: %s", c, row.want.reason, row.reason)
				}
				if row.verdict == plan.Refuse && !strings.Contains(c.Message, "kubectl patch flinkdeployment demo -n default") {
					t.Errorf("%q does not say what a person can do", c.Message)
				}
				return
			}
			if got := (from{c.From.Kind, c.From.Path, c.From.Reason}); got != row.want {
				t.Errorf("got %+v, want %+v: %s", got, row.want, row.reason)
			}
		})
	}
}
