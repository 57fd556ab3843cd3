package facts

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// A newer spec redirects an open intent, unless it wants state that the intent gave up.
func TestWhereAnIntentLeads(t *testing.T) {
	const empty, saved = v1beta1.UpgradeModeStateless, v1beta1.UpgradeModeSavepoint
	rows := map[string]struct {
		restore, mode v1beta1.UpgradeMode
		generation    int64 // of the intent; the spec's is 1
		problem       string
		newest        bool
	}{
		"it keeps the state":                         {saved, saved, 0, "", true},
		"it gave the state up":                       {empty, saved, 0, "", false},
		"nobody knows whether it keeps it":           {"", saved, 0, "", false},
		"it gave the state up, and nobody needs any": {empty, empty, 0, "", true},
		"it is of this spec, and was stored with it": {saved, saved, 1, "", false},
		"it keeps the state, and the spec is bad":    {saved, saved, 0, "it is invalid", false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Spec.Job.UpgradeMode, s.Resource.Spec.Job.Parallelism = row.mode, 8
				s.Resource.Status.Intent = &v1beta1.Intent{
					Purpose: v1beta1.PurposeUpgrade, Restore: row.restore, Generation: row.generation,
					Spec: s.Resource.Status.ReconciliationStatus.LastReconciledSpec,
				}
			})
			v.Problem = row.problem
			if got := Target(v).Job.Parallelism == 8; got != row.newest {
				t.Errorf("to the newest spec: %t, want %t", got, row.newest)
			}
		})
	}
}

// redeploys is a stop of that step and purpose, and a newer spec that says what to start from.
func redeploys(t *testing.T, step v1beta1.IntentStep, purpose v1beta1.IntentPurpose) *world.Look {
	t.Helper()
	return guesttest.NewLife(t, func(s *world.Seen) {
		nonce := int64(1)
		s.Resource.Spec.Job.SavepointRedeployNonce, s.Resource.Spec.Job.InitialSavepointPath = &nonce, "s3://s/1"
		s.Resource.Status.Intent = &v1beta1.Intent{
			Step: step, Purpose: purpose, Spec: s.Resource.Status.ReconciliationStatus.LastReconciledSpec,
			From: &v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://s/0"},
		}
	})
}

// Whoever names what to start from need not wait for a stop, but for one that is as good as done, or that a deletion
// is.
func TestWhichStopARedeployReplaces(t *testing.T) {
	rows := map[string]struct {
		step     v1beta1.IntentStep
		purpose  v1beta1.IntentPurpose
		standing world.Standing
		want     bool
	}{
		"a stop":                {v1beta1.StepStopping, v1beta1.PurposeUpgrade, world.There, true},
		"a stop, all is gone":   {v1beta1.StepStopping, v1beta1.PurposeUpgrade, world.Gone, true},
		"a stop, all goes":      {v1beta1.StepStopping, v1beta1.PurposeUpgrade, world.Going, false},
		"a stop for a deletion": {v1beta1.StepStopping, v1beta1.PurposeDelete, world.There, false},
		"a start":               {v1beta1.StepStarting, v1beta1.PurposeUpgrade, world.There, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := RedeploysInstead(redeploys(t, row.step, row.purpose), row.standing); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

func TestWhichStateAPersonChose(t *testing.T) {
	rows := map[string]struct {
		purpose    v1beta1.IntentPurpose
		generation int64 // of the intent; the spec's is 1
		want       string
	}{
		"in a newer spec":               {v1beta1.PurposeUpgrade, 0, "s3://s/1"},
		"in the spec that is under way": {v1beta1.PurposeRedeploy, 1, "s3://s/0"},
		"in none":                       {v1beta1.PurposeUpgrade, 1, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := redeploys(t, v1beta1.StepStopping, row.purpose)
			v.Intent().Generation = row.generation
			got := ""
			if chosen := ChosenState(v); chosen != nil {
				got = chosen.Path
			}
			if got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
