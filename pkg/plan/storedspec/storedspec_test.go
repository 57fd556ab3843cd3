package storedspec

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

const large = 50_000

// text is a recorded spec, as large as asked for.
func text(t *testing.T, size int, change func(s *v1beta1.FlinkDeploymentSpec)) string {
	t.Helper()
	spec := v1beta1.FlinkDeploymentSpec{Image: "flink:1.20", Job: &v1beta1.JobSpec{JarURI: "local:///a.jar"}}
	spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"large":"` + strings.Repeat("x", size) + `"}`)
	change(&spec)
	record, err := Text(spec)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func same(*v1beta1.FlinkDeploymentSpec)    {}
func image(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" }

func status(spec, reconciled, stable string) *v1beta1.FlinkDeploymentStatus {
	s := &v1beta1.FlinkDeploymentStatus{Progress: v1beta1.Progress{Intent: &v1beta1.Intent{
		Purpose: v1beta1.PurposeUpgrade, Spec: spec, SpecHash: Hash(spec),
	}}}
	s.ReconciliationStatus.LastReconciledSpec, s.ReconciliationStatus.LastStableSpec = reconciled, stable
	return s
}

// testdata/before.json has an open upgrade as the version before stored it, with its spec as a whole and as a change:
// both are read, and are no change of that spec, in whatever way the resource writes it.
func TestWhatTheVersionBeforeStoredIsTheSame(t *testing.T) {
	var before struct {
		LastReconciledSpec, LastStableSpec string
		Whole, Short                       *v1beta1.Intent
	}
	stored, err := os.ReadFile("testdata/before.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(stored, &before); err != nil {
		t.Fatal(err)
	}
	var spec v1beta1.FlinkDeploymentSpec
	if err := json.Unmarshal([]byte(`{"image":"flink:2","flinkVersion":"v1_20",
		"job":{"args":["<a>&b","\u00e4\b\f\t"],"jarURI":"local:///a.jar","savepointTriggerNonce":1764448148123456789},
		"jobManager":{"resource":{"cpu":1.0,"memory":"2g"}},"taskManager":{"resource":{"cpu":12345678}},
		"flinkConfiguration":{"z":"<y>","a":1.50,"n":null,"l":[1e3,"\u0078"]},"restartNonce":12345678901234567,
		"podTemplate":{"spec":{"containers":[{"name":"flink-main-container","env":[{"value":"a && b \u003e c","name":"A"}]}]},
		"kind":"Pod"}}`), &spec); err != nil {
		t.Fatal(err)
	}
	want, err := Text(spec)
	if err != nil {
		t.Fatal(err)
	}
	for name, intent := range map[string]*v1beta1.Intent{"whole": before.Whole, "short": before.Short} {
		s := status("", before.LastReconciledSpec, before.LastStableSpec)
		s.Intent = intent
		if err := Read(s); err != nil || s.Intent.Spec != want || s.Intent.SpecHash != Hash(want) {
			t.Errorf("%s: %v: %s %s, want %s %s", name, err, s.Intent.SpecHash, s.Intent.Spec, Hash(want), want)
		}
		Shorten(s)
		if change := s.Intent.SpecChange; change == "" || Read(s) != nil || s.Intent.Spec != want {
			t.Errorf("%s: stored again as %q", name, change)
		}
	}
	last, err := v1beta1.ParseReconciledDeployment(before.LastReconciledSpec)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := last.Text(); err != nil || again != before.LastReconciledSpec {
		t.Errorf("%v: recorded again as %s", err, again)
	}
}

// What is stored already is what the same specs are shortened to.
func TestTheSameChangeIsKept(t *testing.T) {
	old, next := text(t, large, same), text(t, large, image)
	stored := status(next, old, old)
	Shorten(stored)
	written := stored.DeepCopy()
	if err := Read(written); err != nil {
		t.Fatal(err)
	}
	again := status(next, old, old)
	if !Keep(again, stored, written) || !reflect.DeepEqual(again.Intent, stored.Intent) {
		t.Errorf("kept %+v, stored %+v", again.Intent, stored.Intent)
	}
	for name, other := range map[string]*v1beta1.FlinkDeploymentStatus{
		"another spec": status(old, old, old), "another recorded spec": status(next, next, old),
		"another stable spec": status(next, old, next), "no intent": {},
	} {
		before := other.DeepCopy()
		if Keep(other, stored, written) || !reflect.DeepEqual(other, before) {
			t.Errorf("%s: the stored change is kept", name)
		}
	}
	if Keep(status(next, old, old), status(next, old, old), status(next, old, old)) {
		t.Error("a copy is no change")
	}
}

func TestASpecIsStoredAsAChange(t *testing.T) {
	old, next := text(t, large, same), text(t, large, image)
	other := text(t, 0, func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"large":"` + strings.Repeat("y", large) + `"}`)
	})
	rows := map[string]struct {
		spec, reconciled, stable string
		base                     v1beta1.SpecBase
		most                     int
		reason                   string
	}{
		"an upgrade":           {next, old, old, v1beta1.BaseLastReconciled, 100, "only the image differs"},
		"a rollback":           {old, other, old, v1beta1.BaseLastStable, 10, "it is the stable one"},
		"a recovery":           {old, old, other, v1beta1.BaseLastReconciled, 10, "it is the recorded one"},
		"a first start":        {next, "", "", "", len(next), "there is nothing that it is a change of"},
		"another large text":   {other, old, old, v1beta1.BaseLastReconciled, large + 100, "the change is as large"},
		"an unreadable record": {next, "{", old, v1beta1.BaseLastStable, 100, "the other is a base"},
		"unreadable records":   {next, "{", "[", "", len(next), "they are no base"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := status(row.spec, row.reconciled, row.stable)
			Shorten(s)
			stored := len(s.Intent.Spec) + len(s.Intent.SpecChange)
			if s.Intent.SpecBase != row.base || stored > row.most {
				t.Errorf(
					"%d bytes over %q, want at most %d over %q: %s", stored, s.Intent.SpecBase, row.most, row.base, row.reason,
				)
			}
			if err := Read(s); err != nil || s.Intent.Spec != row.spec || s.Intent.SpecBase != "" ||
				s.Intent.SpecChange != "" {
				t.Errorf("read back %.200s, %v", s.Intent.Spec, err)
			}
		})
	}
}

// TestOnlyTheSpecThatWasStoredIsReadBack: somebody who writes status changes no operation that is open.
func TestOnlyTheSpecThatWasStoredIsReadBack(t *testing.T) {
	rows := map[string]func(*v1beta1.FlinkDeploymentStatus){
		"another record": func(s *v1beta1.FlinkDeploymentStatus) {
			s.ReconciliationStatus.LastReconciledSpec = text(t, 10, same)
		},
		"no record":      func(s *v1beta1.FlinkDeploymentStatus) { s.ReconciliationStatus.LastReconciledSpec = "" },
		"another base":   func(s *v1beta1.FlinkDeploymentStatus) { s.Intent.SpecBase = v1beta1.BaseLastStable },
		"an unknown one": func(s *v1beta1.FlinkDeploymentStatus) { s.Intent.SpecBase = "Purple" },
		"another change": func(s *v1beta1.FlinkDeploymentStatus) { s.Intent.SpecChange = `{"spec":{"image":"x"}}` },
		"no JSON":        func(s *v1beta1.FlinkDeploymentStatus) { s.Intent.SpecChange = `{` },
		"no spec":        func(s *v1beta1.FlinkDeploymentStatus) { s.Intent.SpecChange = `{"spec":1}` },
	}
	for name, change := range rows {
		t.Run(name, func(t *testing.T) {
			s := status(text(t, large, image), text(t, large, same), "")
			Shorten(s)
			change(s)
			before := s.Intent.DeepCopy()
			if err := Read(s); err == nil || s.Intent.Spec != "" || s.Intent.SpecChange != before.SpecChange {
				t.Errorf("read %.100s, %v", s.Intent.Spec, err)
			}
			if Shorten(s); s.Intent.SpecBase != before.SpecBase {
				t.Error("what cannot be read is kept")
			}
		})
	}
}

func TestWhatHasNoSpecIsLeftAlone(t *testing.T) {
	for name, intent := range map[string]*v1beta1.Intent{
		"no intent": nil, "a deletion": {Purpose: v1beta1.PurposeDelete},
	} {
		s := &v1beta1.FlinkDeploymentStatus{Progress: v1beta1.Progress{Intent: intent.DeepCopy()}}
		Shorten(s)
		Reserve(s)
		if err := Read(s); err != nil || !reflect.DeepEqual(s.Intent, intent) {
			t.Errorf("%s: %+v, %v", name, s.Intent, err)
		}
	}
}

// TestAnOperationHasRoomForItsEnd: then both records are its spec.
func TestAnOperationHasRoomForItsEnd(t *testing.T) {
	small, old := text(t, 10, same), text(t, large, same)
	size := func(s *v1beta1.FlinkDeploymentStatus) int {
		all, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	rows := map[string]struct {
		purpose                  v1beta1.IntentPurpose
		spec, reconciled, stable string
		room                     bool
		reason                   string
	}{
		"a small change":   {v1beta1.PurposeUpgrade, text(t, large, image), old, old, true, "for paths and messages"},
		"a larger spec":    {v1beta1.PurposeUpgrade, old, small, small, true, "for two copies of it"},
		"a smaller spec":   {v1beta1.PurposeUpgrade, small, old, old, true, "for paths and messages"},
		"a first start":    {v1beta1.PurposeDeploy, old, "", "", true, "for two copies of it"},
		"a recovery":       {v1beta1.PurposeRecover, old, old, old, false, "it must begin however full etcd's object is"},
		"a suspension":     {v1beta1.PurposeSuspend, text(t, large, image), old, old, true, "for its state"},
		"a roll-back":      {v1beta1.PurposeRollback, small, old, small, true, "the same"},
		"a small redeploy": {v1beta1.PurposeRedeploy, small, small, small, true, "the same"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			begins := status(row.spec, row.reconciled, row.stable)
			begins.Intent.Purpose = row.purpose
			Shorten(begins)
			without := size(begins)
			Reserve(begins)
			if has := begins.Intent.Room != ""; has != row.room {
				t.Fatalf("room %t: %s", has, row.reason)
			}
			records := len(row.reconciled) + len(row.stable) + len(begins.Intent.Spec) + len(begins.Intent.SpecChange)
			if most := max(0, 2*len(row.spec)-records) + roomForFacts; len(begins.Intent.Room) > most {
				t.Errorf("room for %d bytes, and the end needs %d: an operation is refused early", len(begins.Intent.Room), most)
			}
			ended := status("", row.spec, row.spec)
			if row.room && size(begins) < min(size(ended)+3000, without+roomForFacts) {
				t.Errorf("%d bytes, the end may have %d: %s", size(begins), size(ended)+3000, row.reason)
			}
			if row.room && size(begins) < len(row.spec)*2 {
				t.Errorf("%d bytes, the end has two copies of %d", size(begins), len(row.spec))
			}
			if err := Read(begins); err != nil || begins.Intent.Room != "" {
				t.Errorf("the room goes with the next write, %v", err)
			}
		})
	}
}
