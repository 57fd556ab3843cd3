package storedspec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/jsontext"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Text is a spec in the text form of lastReconciledSpec, with sorted keys in what has no type.
func Text(spec v1beta1.FlinkDeploymentSpec) (string, error) {
	text, err := v1beta1.ReconciledDeployment{Spec: spec}.Text()
	if err != nil {
		return "", err
	}
	return respelled(text)
}

// respelled is a recorded text with sorted keys in what has no type, and no digit lost.
func respelled(text string) (string, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", fmt.Errorf("text is not JSON: %w", err)
	}
	sorted, err := jsontext.Print(value)
	if err != nil {
		return "", err
	}
	record, err := v1beta1.ParseReconciledDeployment(sorted)
	if err != nil {
		return "", err
	}
	return record.Text()
}

// Hash is the hash by which an intent knows the spec that it leads to, as Text has it.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Shorten replaces the copy of the spec in the status's intent by the shortest change of a spec that the same status
// records. A copy that is no longer than that stays.
func Shorten(status *v1beta1.FlinkDeploymentStatus) {
	intent := status.Intent
	if intent == nil || intent.Spec == "" {
		return
	}
	spec, shortest := intent.Spec, len(intent.Spec)
	for _, base := range []v1beta1.SpecBase{v1beta1.BaseLastReconciled, v1beta1.BaseLastStable} {
		patch, err := jsonpatch.CreateMergePatch([]byte(recorded(status, base)), []byte(spec))
		if err != nil || len(patch) >= shortest {
			continue
		}
		if back, err := apply(recorded(status, base), string(patch)); err == nil && back == spec {
			intent.Spec, intent.SpecBase, intent.SpecChange, shortest = "", base, string(patch), len(patch)
		}
	}
}

// Keep takes the change that is stored already where the status records the same specs as the stored one, and reports
// whether it did. written is the stored one with its copy made again.
func Keep(status, stored, written *v1beta1.FlinkDeploymentStatus) bool {
	intent, was, copied := status.Intent, stored.Intent, written.Intent
	if intent == nil || was == nil || copied == nil || was.SpecBase == "" || intent.Spec == "" ||
		intent.Spec != copied.Spec {
		return false
	}
	now, then := status.ReconciliationStatus, stored.ReconciliationStatus
	if now.LastReconciledSpec != then.LastReconciledSpec || now.LastStableSpec != then.LastStableSpec {
		return false
	}
	intent.Spec, intent.SpecBase, intent.SpecChange = "", was.SpecBase, was.SpecChange
	return true
}

// Read makes the copy again that Shorten replaced. It fails, and changes nothing, where the recorded spec is another
// one than it was: somebody else wrote the status.
func Read(status *v1beta1.FlinkDeploymentStatus) error {
	intent := status.Intent
	if intent == nil {
		return nil
	}
	intent.Room = ""
	if intent.SpecBase == "" {
		return nil
	}
	spec, err := apply(recorded(status, intent.SpecBase), intent.SpecChange)
	if err == nil && Hash(spec) != intent.SpecHash {
		err = errors.New("the recorded spec was changed since")
	}
	if err != nil {
		return fmt.Errorf("the intent's spec is stored as a change of %s: %w", intent.SpecBase, err)
	}
	intent.Spec, intent.SpecBase, intent.SpecChange = spec, "", ""
	return nil
}

// roomForFacts is for what an operation stores beside specs: paths, times, messages.
const roomForFacts = 4 << 10

// Reserve makes room for the end of the operation that begins with this status's intent: both recorded specs are then
// the intent's. An operation that leads to no new spec needs none, and must not be held up.
func Reserve(status *v1beta1.FlinkDeploymentStatus) {
	intent := status.Intent
	if intent == nil || intent.Purpose == v1beta1.PurposeDelete || intent.Purpose == v1beta1.PurposeRecover {
		return
	}
	spec := intent.Spec
	if again := status.DeepCopy(); Read(again) == nil {
		spec = again.Intent.Spec
	}
	records := status.ReconciliationStatus
	have := len(records.LastReconciledSpec) + len(records.LastStableSpec) + len(intent.Spec) + len(intent.SpecChange)
	intent.Room = strings.Repeat(" ", max(0, 2*len(spec)-have)+roomForFacts)
}

func recorded(status *v1beta1.FlinkDeploymentStatus, base v1beta1.SpecBase) string {
	switch base {
	case v1beta1.BaseLastReconciled:
		return status.ReconciliationStatus.LastReconciledSpec
	case v1beta1.BaseLastStable:
		return status.ReconciliationStatus.LastStableSpec
	}
	return ""
}

func apply(base, change string) (string, error) {
	text, err := jsonpatch.MergePatch([]byte(base), []byte(change))
	if err != nil {
		return "", err
	}
	return respelled(string(text))
}
