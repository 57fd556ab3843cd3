// Package v1beta1 holds the four resource kinds of the API group
// flink.apache.org: FlinkDeployment, FlinkSessionJob, FlinkStateSnapshot and
// FlinkBlueGreenDeployment, and everything that is true of them without
// looking at a cluster.
//
// PURE: no context, no clock, no logger, no I/O. Times are arguments.
//
// Must not: flatten or interpret Flink configuration (package flinkconf),
// judge a spec (package validation), decide what to do (package plan).
//
// Invariants:
//   - The JSON names are those of the Apache Flink Kubernetes Operator's CRDs;
//     ours are additions to status only.
//   - A status that operator wrote is read and written back without losing a
//     field: what it writes even when empty has no omitempty here, and an empty
//     list or map stays apart from an absent one (omitzero).
//   - Text the user wrote stays as it was written: Flink configuration, pod
//     templates, memory sizes and quantities are parsed by those who need them.
//   - Unknown enumeration text is decoded, never refused; ask Known().
//   - lastReconciledSpec and lastStableSpec are parsed and printed in
//     reconciledspec.go only; conditions, the lifecycle state and the error text
//     are made in package summary only.
//
// The CEL rules at the types judge fields that are written, by their value
// alone, and only what no configuration of the Java operator accepts. They stand
// at spec or below, never at the root: the API server does not hold a rule
// against an update that leaves that part as it was, so a resource that was
// stored before stays editable and deletable. That a job's parallelism is 1 or
// more is left to package validation: running resources with 0 have been seen.
//
// Start reading at deployment_types.go, then status_types.go and
// intent_types.go.
//
// +kubebuilder:object:generate=true
// +groupName=flink.apache.org
package v1beta1
