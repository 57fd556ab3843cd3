package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// CreateSide creates the FlinkDeployment of a colour. One of its name that carries the operation is taken for it.
type CreateSide struct {
	refusable
	// Namespace and Name are the FlinkDeployment's.
	Namespace, Name string
	// Operation is the ID of the transition, which the annotation v1beta1.AnnotationSideOperation has.
	Operation string
	// Content is the whole object.
	Content map[string]any
}

// ReplaceSide replaces the spec of the FlinkDeployment of a colour. All else of it stays.
type ReplaceSide struct {
	destructive
	// Namespace and Name are the FlinkDeployment's.
	Namespace, Name string
	// UID is a precondition.
	UID types.UID
	// Generation is a precondition: the spec is the one that was read.
	Generation int64
	// Spec is the whole new spec.
	Spec map[string]any
	// Hash of the spec, for the annotation v1beta1.AnnotationSideSpec.
	Hash string
}

// SuspendSide has the FlinkDeployment of a colour stop its job as its upgrade mode says.
type SuspendSide struct {
	destructive
	// Namespace and Name are the FlinkDeployment's.
	Namespace, Name string
	// UID is a precondition.
	UID types.UID
	// Generation is a precondition: the spec is the one that was read.
	Generation int64
}

// DeleteSide deletes the FlinkDeployment of a colour, whose own passes clean up.
type DeleteSide struct {
	destructive
	// Namespace and Name are the FlinkDeployment's.
	Namespace, Name string
	// UID is its precondition: one of that name that was made since then is left alone.
	UID types.UID
}

// LabelSide gives the FlinkDeployment of a colour labels and leaves its others alone.
type LabelSide struct {
	quiet
	// Namespace and Name are the FlinkDeployment's.
	Namespace, Name string
	// UID is its precondition.
	UID types.UID
	// Labels are the ones to set.
	Labels map[string]string
}

func (a CreateSide) String() string { return "create FlinkDeployment " + a.Name }
func (a ReplaceSide) String() string {
	return fmt.Sprintf("replace the spec of FlinkDeployment %s (%s)", a.Name, a.UID)
}
func (a SuspendSide) String() string {
	return fmt.Sprintf("suspend FlinkDeployment %s (%s)", a.Name, a.UID)
}
func (a DeleteSide) String() string {
	return fmt.Sprintf("delete FlinkDeployment %s (%s)", a.Name, a.UID)
}
func (a LabelSide) String() string {
	return fmt.Sprintf("set %d labels of FlinkDeployment %s", len(a.Labels), a.Name)
}
