// Package evaluate turns the samples of a window into what scaling is decided by: the rate that each vertex could
// process, the rate that it should, and the bounds between which it is left alone.
//
// PURE: see package model.
//
// Order: sources first, then by level, because the target rate of a vertex follows from those of its inputs.
//
// It must not decide whether a vertex is scaled: package scale does.
//
// Start reading at Metrics.
package evaluate
