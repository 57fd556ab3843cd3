// Package flinkconf composes the Flink configuration of a cluster from the operator's defaults and a resource's spec,
// and prints it as the file that Flink reads.
//
// PURE: configuration in, configuration out. File contents are given, job IDs and directories are given, nothing is
// random.
//
// It must not drop or change a key of the user's that it does not know, and it must not judge a spec: package
// validation does that.
//
// Rooms: conf (the types Config and Option), key (every option by name), syntax (durations, memory sizes, lists, maps),
// confyaml (config.yaml), memory (the memory of JobManager and TaskManager processes).
//
// Invariants: a composed configuration depends on its inputs alone, byte for byte; what a cluster receives holds no key
// of the operator or the autoscaler; what Files prints, LoadDir reads back.
//
// Start reading in deploy.go: it is the order of composition.
package flinkconf
