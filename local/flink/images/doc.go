// Package images makes Flink's image names lead to the distributions on this machine, for the local node.
//
// I/O: pulling an image may download its distribution.
//
// It must not guess: an image name that is neither Flink's nor an alias is an error that says so.
//
// Invariants: which release a name means does not change while the process runs.
//
// Start reading at Images.
package images
