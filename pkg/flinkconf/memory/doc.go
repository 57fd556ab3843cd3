// Package memory derives the memory of JobManager and TaskManager processes from their options, byte for byte as Flink
// does.
//
// PURE: configuration in, figures out.
//
// It must not round or repair: sizes that do not fit together are an error that names the options, as in Flink.
//
// Invariants: the parts add up to the whole; what is configured explicitly is never changed; figures equal those of
// Flink 1.20 (a test holds vectors that Flink itself computed).
//
// Start reading in process.go: it is what both processes share.
package memory
