package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// A side of a blue/green deployment is a FlinkDeployment; one that can be handed over to is a session cluster, and a
// FlinkSessionJob of the same name.

// CreateSide creates a resource of a side. One of its kind and name that carries the operation is taken for it.
type CreateSide struct {
	refusable
	// Kind is v1beta1.KindFlinkSessionJob; any other is the FlinkDeployment.
	Kind string
	// Namespace and Name are the resource's.
	Namespace, Name string
	// Operation is the ID of the transition, which the annotation v1beta1.AnnotationSideOperation has.
	Operation string
	// Content is the whole object.
	Content map[string]any
}

// ReplaceSide replaces the spec of a resource of a side. All else of it stays.
type ReplaceSide struct {
	destructive
	// Kind is v1beta1.KindFlinkSessionJob; any other is the FlinkDeployment.
	Kind string
	// Namespace and Name are the resource's.
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

// SuspendSide has a side stop its job as its upgrade mode says.
type SuspendSide struct {
	destructive
	// Kind is v1beta1.KindFlinkSessionJob; any other is the FlinkDeployment.
	Kind string
	// Namespace and Name are the resource's.
	Namespace, Name string
	// UID is a precondition.
	UID types.UID
	// Generation is a precondition: the spec is the one that was read.
	Generation int64
}

// DeleteSide deletes a resource of a side, whose own passes clean up.
type DeleteSide struct {
	destructive
	// Kind is v1beta1.KindFlinkSessionJob; any other is the FlinkDeployment.
	Kind string
	// Namespace and Name are the resource's.
	Namespace, Name string
	// UID is its precondition: one of that name that was made since then is left alone.
	UID types.UID
}

// LabelSide gives a resource of a side labels and leaves its others alone.
type LabelSide struct {
	quiet
	// Kind is v1beta1.KindFlinkSessionJob; any other is the FlinkDeployment.
	Kind string
	// Namespace and Name are the resource's.
	Namespace, Name string
	// UID is its precondition.
	UID types.UID
	// Labels are the ones to set.
	Labels map[string]string
}

// SwitchSide has a side stop or run its job, and changes nothing else of its spec.
type SwitchSide struct {
	destructive
	// Kind is v1beta1.KindFlinkSessionJob; any other is the FlinkDeployment.
	Kind string
	// Namespace and Name are the resource's.
	Namespace, Name string
	// UID is a precondition.
	UID types.UID
	// Generation is a precondition: the spec is the one that was read.
	Generation int64
	// State is running or suspended.
	State string
	// UpgradeMode says how it stops; empty leaves it as it is.
	UpgradeMode string
	// Path is what it starts from for the first time; empty leaves it as it is.
	Path string
}

// PlanJar uploads an empty jar, unless it is there, and runs main of the job up to its submission. No job starts.
type PlanJar struct {
	quiet
	// Run says what to run; of it JobID, JarID and SavepointPath do not count.
	Run RunJar
	// Name of the jar, which ends in ".jar".
	Name string
}

// WarmUp uploads the small job that warms a cluster, unless it is there, and runs it. A job that Flink knows already is
// no failure.
type WarmUp struct {
	quiet
	// Endpoint is where the JobManager answers.
	Endpoint Endpoint
	// Name of the jar, which ends in ".jar".
	Name string
	// JobID is the ID that the job gets, 32 hexadecimal digits.
	JobID string
	// Version is the cluster's Flink version, such as 1.20.
	Version string
	// Parallelism is that of the job: all slots.
	Parallelism int32
}

// CoolDown deletes jars that a handover had uploaded. It never fails: they go with the JobManager.
type CoolDown struct {
	quiet
	// Endpoint is where the JobManager answers.
	Endpoint Endpoint
	// JarIDs are the jars.
	JarIDs []string
}

// kindOr is a kind for people.
func kindOr(kind string) string {
	if kind == "" {
		return "FlinkDeployment"
	}
	return kind
}

func (a CreateSide) String() string { return "create " + kindOr(a.Kind) + " " + a.Name }
func (a ReplaceSide) String() string {
	return fmt.Sprintf("replace the spec of %s %s (%s)", kindOr(a.Kind), a.Name, a.UID)
}
func (a SuspendSide) String() string {
	return fmt.Sprintf("suspend %s %s (%s)", kindOr(a.Kind), a.Name, a.UID)
}
func (a DeleteSide) String() string {
	return fmt.Sprintf("delete %s %s (%s)", kindOr(a.Kind), a.Name, a.UID)
}
func (a LabelSide) String() string {
	return fmt.Sprintf("set %d labels of %s %s", len(a.Labels), kindOr(a.Kind), a.Name)
}
func (a SwitchSide) String() string {
	return fmt.Sprintf("set the job of %s %s (%s) to %s", kindOr(a.Kind), a.Name, a.UID, a.State)
}
func (a PlanJar) String() string  { return "plan jar " + a.Name }
func (a WarmUp) String() string   { return "warm up with job " + a.JobID }
func (a CoolDown) String() string { return fmt.Sprintf("delete %d jars", len(a.JarIDs)) }
