// Package key names the configuration options that this operator reads or writes, one table a family: operator*.go for
// kubernetes.operator.*, autoscaler.go for job.autoscaler.*, kubernetes.go for the options that shape Kubernetes
// objects, core.go, state.go and memory.go for Flink itself.
//
// PURE: data only. Names, defaults, order of fallbacks and kinds are those of Flink 1.20 and of the Java operator.
//
// It must not hold an option that nobody here reads or writes: everything else passes through untouched.
//
// Invariant: no two options share a key, and every default parses as its kind; a test reads all tables.
//
// Start reading in operator.go.
package key
