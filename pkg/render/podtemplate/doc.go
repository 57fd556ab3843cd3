// Package podtemplate layers the pod templates of a FlinkDeployment into the two templates that Flink's Kubernetes
// client works from: one for the JobManager, one for the TaskManagers.
//
// It is PURE: no context, no clock, no logger, no randomness. It must not know a Flink configuration key, and it must
// not build a pod: that is the work of package render, which lays its own fields over what this package returns.
//
// A template is a JSON tree (Tree), not a corev1.PodTemplateSpec. Merging by position has to tell a field that is
// absent from one that is empty, and the Go structs cannot: an unnamed container would overwrite the name of the one
// it is merged into.
//
// Invariants:
//   - the input trees are never changed and never shared with the result;
//   - merging with an absent tree gives a copy of the other one;
//   - equal input gives equal bytes (Print sorts every mapping).
//
// Start reading at layer.go (which layer comes when), then merge.go (the two ways to merge lists), then print.go
// (the text).
package podtemplate
