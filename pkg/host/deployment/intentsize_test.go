package deployment

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
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
			w := stable(
				t,
				with(
					stateful, `"flinkConfiguration":{`,
					`"flinkConfiguration":{`+options+`"large":"`+strings.Repeat("x", 200_000)+`",`,
				),
			)
			before := w.size()
			w.delete()
			w.run()
			if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeDelete {
				t.Fatalf("intent %+v, rounds %q", i, w.log)
			}
			if grown := w.size() - before; grown > 20_000 {
				t.Errorf("the resource of %d bytes grew by %d", before, grown)
			}
		})
	}
}

// An operation that leads to a spec adds what changes, and blanks for what its end will add: the resource is never much
// larger than it is in the end. The spec has 200,000 bytes.
func TestTheIntentOfAnOperationIsSmall(t *testing.T) {
	large := func(spec string) string {
		return with(spec, `"flinkConfiguration":{`, `"flinkConfiguration":{"large":"`+strings.Repeat("x", 200_000)+`",`)
	}
	rows := map[string]struct {
		purpose v1beta1.IntentPurpose
		begin   func(t *testing.T) *fixture
		do      func(w *fixture)
		reason  string
	}{
		"an upgrade": {v1beta1.PurposeUpgrade, func(t *testing.T) *fixture { return stable(t, large(stateful)) },
			func(w *fixture) { w.edit(upgradeImage) }, "only the image differs from what is recorded"},
		"a suspension": {v1beta1.PurposeSuspend, func(t *testing.T) *fixture { return stable(t, large(stateful)) },
			func(w *fixture) {
				w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			}, "one word differs"},
		"a roll-back": {v1beta1.PurposeRollback, func(t *testing.T) *fixture {
			w := upgradedBySavepoint(t, rolls(large(stateful)))
			w.neverStarts()
			return w
		}, func(w *fixture) { w.s.Now = w.s.Now.Add(10 * time.Minute) }, "it is what is recorded as stable"},
		"a recovery": {v1beta1.PurposeRecover, func(t *testing.T) *fixture { return stable(t, large(application)) },
			func(w *fixture) { w.terminate() }, "it is what is recorded"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := row.begin(t)
			before := w.size()
			row.do(w)
			w.round()
			i := w.status().Intent
			if i == nil || i.Purpose != row.purpose {
				t.Fatalf("intent %+v, rounds %q", i, w.log)
			}
			if grown := w.size() - before; grown > 10_000 {
				t.Errorf("the resource of %d bytes grew by %d: %s", before, grown, row.reason)
			}
			w.round()
			if grown := w.size() - before; grown > 6_000 {
				t.Errorf("the resource of %d bytes grew by %d after the next write: %s", before, grown, row.reason)
			}
			if i := w.status().Intent; i != nil && !strings.Contains(w.intentSpec(), strings.Repeat("x", 200_000)) {
				t.Error("the spec cannot be read back")
			}
		})
	}
}

// An operation that began with a small spec and leads to a large one has room for two copies of it from the beginning:
// what etcd would refuse in the end it refuses before anything is stopped.
func TestAnOperationThatDoesNotFit(t *testing.T) {
	w := stable(t, stateful)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		large := `{"large":"` + strings.Repeat("x", 50_000) + `",`
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(string(s.FlinkConfiguration), "{", large, 1))
	})
	w.round()
	begun := w.size()
	if i := w.status().Intent; i == nil || i.Step != v1beta1.StepStopping || i.Room == "" {
		t.Fatalf("intent %+v", i)
	}
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.run()
	w.terminate()
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	recorded := w.status().ReconciliationStatus
	if recorded.LastStableSpec != recorded.LastReconciledSpec || !strings.Contains(recorded.LastStableSpec, "large") {
		t.Fatalf("not stable, rounds %q", w.log)
	}
	if ended := w.size(); ended > begun {
		t.Errorf("%d bytes in the end, and %d when it began", ended, begun)
	}
}

// Where somebody else changed the recorded spec that the intent's is a change of, nothing is started on a guess: a
// person is told, and a newer spec goes on.
func TestAnUnreadableIntentStartsNothing(t *testing.T) {
	w := stable(t, application)
	w.edit(upgradeImage)
	w.run()
	w.terminate()
	w.released = false
	w.round()
	i := w.status().Intent
	if i == nil || i.Step != v1beta1.StepStarting || i.SpecBase != v1beta1.BaseLastReconciled {
		t.Fatalf("intent %+v, rounds %q", i, w.log)
	}
	w.s.Resource.Status.ReconciliationStatus.LastReconciledSpec = w.status().ReconciliationStatus.LastStableSpec
	w.run()
	c := w.condition("Stalled")
	if w.released || c.Reason != "CannotRender" || !strings.Contains(c.Message, "restartNonce") {
		t.Fatalf("released %t, stalled %+v, rounds %q", w.released, c, w.log)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { nonce := int64(7); s.RestartNonce = &nonce })
	for range 3 {
		if w.run(); !w.s.JobManager.IsAbsent() && !w.released {
			w.terminate()
		}
	}
	if !w.released || w.runningImage() != "flink:1.20.5" {
		t.Errorf("released %t, rounds %q", w.released, w.log)
	}
}

// intentSpec is the spec that the open intent leads to, in full.
func (w *fixture) intentSpec() string {
	w.t.Helper()
	status := w.s.Resource.Status.DeepCopy()
	if err := storedspec.Read(status); err != nil {
		w.t.Error(err)
	}
	return status.Intent.Spec
}

func (w *fixture) size() int {
	w.t.Helper()
	text, err := json.Marshal(w.s.Resource)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(text)
}
