package validation_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

func TestStateSnapshot(t *testing.T) {
	type snapshotInput = validation.StateSnapshotInput
	const exactlyOne = "Exactly one of checkpoint or savepoint configurations has to be set."
	existing := func(in *snapshotInput) { in.Spec.Savepoint.AlreadyExists = ptr(true) }
	noReference := func(in *snapshotInput) { in.Spec.JobReference = nil }
	absent := func(in *snapshotInput) {
		in.Namespace, in.Spec.JobReference.Name, in.Target = "test", "does-not-exist", validation.Absent
	}
	state := func(s v1beta1.SnapshotState) func(*snapshotInput) {
		return func(in *snapshotInput) { in.Status.State = s }
	}
	missing := one("spec.jobReference", "Target for snapshot test/does-not-exist was not found")
	for name, row := range map[string]struct {
		reason  string
		changes []func(*snapshotInput)
		want    []finding
	}{
		"fixture": {"nothing is wrong with it", nil, nil},
		"checkpoint": {"the other kind", []func(*snapshotInput){func(in *snapshotInput) {
			in.Spec.Savepoint, in.Spec.Checkpoint = nil, &v1beta1.CheckpointSpec{}
		}}, nil},
		"both": {
			"one resource is one snapshot",
			[]func(*snapshotInput){func(in *snapshotInput) { in.Spec.Checkpoint = &v1beta1.CheckpointSpec{} }},
			one("spec", exactlyOne),
		},
		"neither": {
			"nothing to take",
			[]func(*snapshotInput){func(in *snapshotInput) { in.Spec.Savepoint = nil }},
			one("spec", exactlyOne),
		},
		"neither, no reference": {"both are told",
			[]func(*snapshotInput){func(in *snapshotInput) { in.Spec.Savepoint = nil }, noReference},
			[]finding{{"spec", exactlyOne}, {"spec.jobReference", "Job reference must be supplied for this snapshot"}}},
		"no reference": {
			"nothing to take it of",
			[]func(*snapshotInput){noReference},
			one("spec.jobReference", "Job reference must be supplied for this snapshot"),
		},
		"existing, no reference":  {"nothing is taken", []func(*snapshotInput){existing, noReference}, nil},
		"existing, target absent": {"nothing is taken", []func(*snapshotInput){existing, absent}, nil},
		"existing and a checkpoint": {
			"the savepoint is not the only one",
			[]func(*snapshotInput){existing, func(in *snapshotInput) { in.Spec.Checkpoint = &v1beta1.CheckpointSpec{} }},
			one("spec", exactlyOne),
		},
		"target absent": {"nothing to take it of", []func(*snapshotInput){absent}, missing},
		"target absent, pending": {
			"nothing was taken yet",
			[]func(*snapshotInput){absent, state(v1beta1.SnapshotTriggerPending)},
			missing,
		},
		"target absent, running": {
			"Flink has been asked",
			[]func(*snapshotInput){absent, state(v1beta1.SnapshotInProgress)},
			nil,
		},
		"target absent, completed": {
			"it outlives its job",
			[]func(*snapshotInput){absent, state(v1beta1.SnapshotCompleted)},
			nil,
		},
		"target absent, failed": {
			"it is over",
			[]func(*snapshotInput){absent, state(v1beta1.SnapshotFailed)},
			nil,
		},
		"target absent, abandoned": {
			"it is over",
			[]func(*snapshotInput){absent, state(v1beta1.SnapshotAbandoned)},
			nil,
		},
		"target unknown": {
			"nobody could look",
			[]func(*snapshotInput){absent, func(in *snapshotInput) { in.Target = validation.Unknown }},
			nil,
		},
		"reference without kind": {
			"names of two kinds may be the same",
			[]func(*snapshotInput){func(in *snapshotInput) { in.Spec.JobReference.Kind = "" }},
			one("spec.jobReference.kind", "Job reference must be supplied"),
		},
		"reference without name": {
			"nothing to take it of",
			[]func(*snapshotInput){func(in *snapshotInput) { in.Spec.JobReference.Name = "" }},
			one("spec.jobReference.name", "Job reference must be supplied"),
		},
		"unknown format": {
			"the CRD says so too",
			[]func(*snapshotInput){func(in *snapshotInput) { in.Spec.Savepoint.FormatType = "ZIP" }},
			one("spec.savepoint.formatType", `Unknown savepoint format "ZIP"`),
		},
		"canary": {"it only shows that the operator is alive", []func(*snapshotInput){func(in *snapshotInput) {
			*in = snapshotInput{Labels: map[string]string{v1beta1.LabelCanary: "TRUE"}}
		}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := snapshotInput{Namespace: "test", Target: validation.Present, Spec: v1beta1.FlinkStateSnapshotSpec{
				Savepoint:    &v1beta1.SavepointSpec{},
				JobReference: &v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: "test-cluster"},
			}}
			for _, change := range row.changes {
				change(&in)
			}
			check(t, row.reason, validation.StateSnapshot(in), row.want...)
		})
	}
}
