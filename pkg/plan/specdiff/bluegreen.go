package specdiff

import "github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"

// BlueGreenKind says what a change of a blue/green deployment asks for.
type BlueGreenKind string

// The kinds, in the order in which they are tried.
const (
	// BlueGreenIncomplete: one of the specs has no template.spec; nothing can be said.
	BlueGreenIncomplete BlueGreenKind = "INCOMPLETE"
	// BlueGreenSuspend: job.state of the template became suspended; the active child is suspended.
	BlueGreenSuspend BlueGreenKind = "SUSPEND"
	// BlueGreenResume: job.state went from suspended to running; the active child is resumed.
	BlueGreenResume BlueGreenKind = "RESUME"
	// BlueGreenSavepointRedeploy: a new child from job.initialSavepointPath, without a savepoint of the old one.
	BlueGreenSavepointRedeploy BlueGreenKind = "SAVEPOINT_REDEPLOY"
	// BlueGreenIgnore: the template's spec is the same.
	BlueGreenIgnore BlueGreenKind = "IGNORE"
	// BlueGreenPatchChild: only ignored fields or the spelling of the configuration differ; the active child's spec is
	// replaced.
	BlueGreenPatchChild BlueGreenKind = "PATCH_CHILD"
	// BlueGreenTransition: anything else; a new child of the other colour.
	BlueGreenTransition BlueGreenKind = "TRANSITION"
)

// BlueGreenChange is the difference between two specs of a blue/green deployment.
type BlueGreenChange struct {
	// Kind of the change.
	Kind BlueGreenKind
	// Template is the change of template.spec it was derived from; None when Incomplete.
	Template Change
}

// ClassifyBlueGreen compares the spec acted on last with the wanted one. Only template.spec counts, and it is compared
// by the native tables whatever its mode.
//
//	job.state                     | change of template.spec | kind               (first match wins)
//	becomes suspended             | any                     | SUSPEND
//	suspended to running          | any                     | RESUME
//	any                           | SAVEPOINT_REDEPLOY      | SAVEPOINT_REDEPLOY
//	any                           | equal in everything     | IGNORE
//	any                           | none or IGNORE          | PATCH_CHILD
//	any                           | SCALE or UPGRADE        | TRANSITION
//
// No job and no state count as running.
func ClassifyBlueGreen(old, new *v1beta1.FlinkBlueGreenDeploymentSpec) BlueGreenChange {
	oldSpec, newSpec := childSpec(old), childSpec(new)
	if oldSpec == nil || newSpec == nil {
		return BlueGreenChange{Kind: BlueGreenIncomplete, Template: Change{Kind: None}}
	}
	change := BlueGreenChange{Kind: BlueGreenTransition, Template: Classify(oldSpec, newSpec, v1beta1.ModeNative)}
	oldState, newState := oldSpec.Job.DesiredState(), newSpec.Job.DesiredState()
	switch {
	case oldState != newState && newState == v1beta1.JobStateSuspended:
		change.Kind = BlueGreenSuspend
	case oldState == v1beta1.JobStateSuspended && newState == v1beta1.JobStateRunning:
		change.Kind = BlueGreenResume
	case change.Template.Kind == SavepointRedeploy:
		change.Kind = BlueGreenSavepointRedeploy
	case Equal(oldSpec, newSpec):
		change.Kind = BlueGreenIgnore
	case !change.Template.Kind.Effective():
		change.Kind = BlueGreenPatchChild
	}
	return change
}

// childSpec is the spec of the children; nil when it is missing.
func childSpec(s *v1beta1.FlinkBlueGreenDeploymentSpec) *v1beta1.FlinkDeploymentSpec {
	if s == nil || s.Template == nil {
		return nil
	}
	return s.Template.Spec
}
