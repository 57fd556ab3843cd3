package validation

import (
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// StateSnapshotInput is what a FlinkStateSnapshot is judged by.
type StateSnapshotInput struct {
	// Namespace of the resource, and of the job it refers to.
	Namespace string
	// Labels of the resource; a canary is not judged.
	Labels map[string]string
	// Spec to judge.
	Spec v1beta1.FlinkStateSnapshotSpec
	// Status as given.
	Status v1beta1.FlinkStateSnapshotStatus
	// Target says whether the resource that spec.jobReference names exists.
	Target Presence
}

// StateSnapshot judges a FlinkStateSnapshot.
//
//	rule | finding
//	N1   | not exactly one of savepoint and checkpoint
//	N2   | (a savepoint that exists already: nothing more is asked)
//	N3   | jobReference missing, or without kind or name
//	N4   | its target does not exist, while nothing was triggered yet
func StateSnapshot(in StateSnapshotInput) *apis.FieldError {
	if isCanary(in.Labels) {
		return nil
	}
	r := &report{base: "spec"}
	spec := &in.Spec
	if (spec.Savepoint == nil) == (spec.Checkpoint == nil) {
		r.addAt(
			"spec", "Exactly one of checkpoint or savepoint configurations has to be set.",
			"set either spec.savepoint or spec.checkpoint",
		)
	}
	if spec.Checkpoint == nil && spec.Savepoint.Exists() {
		return r.fieldError()
	}
	if format := spec.Savepoint.DesiredFormat(); !format.Known() {
		r.add("savepoint.formatType", "Unknown savepoint format "+quote(string(format)), "use CANONICAL or NATIVE")
	}
	if spec.JobReference == nil {
		r.add(
			"jobReference", "Job reference must be supplied for this snapshot", "name kind and name of the job's resource",
		)
		return r.fieldError()
	}
	if in.Status.State == "" || in.Status.State == v1beta1.SnapshotTriggerPending {
		r.target(in)
	}
	return r.fieldError()
}

func (r *report) target(in StateSnapshotInput) {
	reference := in.Spec.JobReference
	switch {
	case !reference.Kind.Known():
		r.add(
			"jobReference.kind", "Job reference must be supplied for this snapshot",
			"set the kind to FlinkDeployment or FlinkSessionJob",
		)
	case reference.Name == "":
		r.add("jobReference.name", "Job reference must be supplied for this snapshot", "name the "+string(reference.Kind))
	case in.Target == Absent:
		r.add("jobReference", "Target for snapshot "+in.Namespace+"/"+cut(reference.Name, maxQuoted)+" was not found",
			"create the "+string(reference.Kind)+" first, or correct the reference")
	}
}
