package operation_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// etcd takes objects of up to 1.5 MiB. What is as large as that can be deleted all the same: a deletion adds no copy of
// the spec.
func TestTheIntentOfADeletionIsSmall(t *testing.T) {
	rows := map[string]string{
		"at once":          "",
		"with a savepoint": `"kubernetes.operator.job.savepoint-on-deletion":"true",`,
	}
	for name, options := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(
				t,
				enginetest.With(
					enginetest.Stateful, `"flinkConfiguration":{`,
					`"flinkConfiguration":{`+options+`"large":"`+strings.Repeat("x", 200_000)+`",`,
				),
			)
			before := size(w)
			w.Delete()
			w.Run()
			if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeDelete {
				t.Fatalf("intent %+v, rounds %q", i, w.Log)
			}
			if grown := size(w) - before; grown > 20_000 {
				t.Errorf("the resource of %d bytes grew by %d", before, grown)
			}
		})
	}
}

// An operation that leads to a spec adds what changes, and blanks for what its end will add: the resource is never much
// larger than it is in the end. The spec has 200,000 bytes.
func TestTheIntentOfAnOperationIsSmall(t *testing.T) {
	large := func(spec string) string {
		return enginetest.With(
			spec,
			`"flinkConfiguration":{`,
			`"flinkConfiguration":{"large":"`+strings.Repeat("x", 200_000)+`",`,
		)
	}
	rows := map[string]struct {
		purpose v1beta1.IntentPurpose
		begin   func(t *testing.T) *enginetest.Deployment
		do      func(w *enginetest.Deployment)
		reason  string
	}{
		"an upgrade": {
			v1beta1.PurposeUpgrade,
			func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, large(enginetest.Stateful)) },
			func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage) },
			"only the image differs from what is recorded",
		},
		"a suspension": {
			v1beta1.PurposeSuspend,
			func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, large(enginetest.Stateful)) },
			func(w *enginetest.Deployment) {
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			},
			"one word differs",
		},
		"a roll-back": {v1beta1.PurposeRollback, func(t *testing.T) *enginetest.Deployment {
			w := enginetest.UpgradedBySavepoint(t, enginetest.Rolls(large(enginetest.Stateful)))
			w.NeverStarts()
			return w
		}, func(w *enginetest.Deployment) { w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Minute) },
			"it is what is recorded as stable"},
		"a recovery": {
			v1beta1.PurposeRecover,
			func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, large(enginetest.Application)) },
			func(w *enginetest.Deployment) { w.Terminate() },
			"it is what is recorded",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.begin(t)
			before := size(w)
			row.do(w)
			w.Round()
			i := w.Status().Intent
			if i == nil || i.Purpose != row.purpose {
				t.Fatalf("intent %+v, rounds %q", i, w.Log)
			}
			if grown := size(w) - before; grown > 10_000 {
				t.Errorf("the resource of %d bytes grew by %d: %s", before, grown, row.reason)
			}
			w.Round()
			if grown := size(w) - before; grown > 6_000 {
				t.Errorf("the resource of %d bytes grew by %d after the next write: %s", before, grown, row.reason)
			}
			if i := w.Status().Intent; i != nil && !strings.Contains(w.IntentSpec(), strings.Repeat("x", 200_000)) {
				t.Error("the spec cannot be read back")
			}
		})
	}
}

// An operation that began with a small spec and leads to a large one has room for two copies of it from the beginning:
// what etcd would refuse in the end it refuses before anything is stopped.
func TestAnOperationThatDoesNotFit(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		large := `{"large":"` + strings.Repeat("x", 50_000) + `",`
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(string(s.FlinkConfiguration), "{", large, 1))
	})
	w.Round()
	begun := size(w)
	if i := w.Status().Intent; i == nil || i.Step != v1beta1.StepStopping || i.Room == "" {
		t.Fatalf("intent %+v", i)
	}
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.Run()
	w.Terminate()
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	recorded := w.Status().ReconciliationStatus
	if recorded.LastStableSpec != recorded.LastReconciledSpec || !strings.Contains(recorded.LastStableSpec, "large") {
		t.Fatalf("not stable, rounds %q", w.Log)
	}
	if ended := size(w); ended > begun {
		t.Errorf("%d bytes in the end, and %d when it began", ended, begun)
	}
}

// Where somebody else changed the recorded spec that the intent's is a change of, nothing is started on a guess: a
// person is told, and a newer spec goes on.
func TestAnUnreadableIntentStartsNothing(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.Terminate()
	w.Released = false
	w.Round()
	i := w.Status().Intent
	if i == nil || i.Step != v1beta1.StepStarting || i.SpecBase != v1beta1.BaseLastReconciled {
		t.Fatalf("intent %+v, rounds %q", i, w.Log)
	}
	w.Snapshot.Resource.Status.ReconciliationStatus.LastReconciledSpec = w.Status().ReconciliationStatus.LastStableSpec
	w.Run()
	c := w.Condition("Stalled")
	if w.Released || c.Reason != "CannotRender" || !strings.Contains(c.Message, "restartNonce") {
		t.Fatalf("released %t, stalled %+v, rounds %q", w.Released, c, w.Log)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { nonce := int64(7); s.RestartNonce = &nonce })
	for range 3 {
		if w.Run(); !w.Snapshot.JobManager.IsAbsent() && !w.Released {
			w.Terminate()
		}
	}
	if !w.Released || w.RunningImage() != "flink:1.20.5" {
		t.Errorf("released %t, rounds %q", w.Released, w.Log)
	}
}

func size(w *enginetest.Deployment) int {
	w.T.Helper()
	text, err := json.Marshal(w.Snapshot.Resource)
	if err != nil {
		w.T.Fatal(err)
	}
	return len(text)
}
