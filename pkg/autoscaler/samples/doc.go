// Package samples keeps what was measured of a running job between two looks at it, by functions that remember nothing:
// its graph, a window of samples, and the scale downs that wait.
//
// PURE: see package model.
//
//	kept                  beside Java's keys in the ConfigMap autoscaler-<name>, as binary data under Key
//	a sample is due       once in each slot of time: a minute, or less for short windows and while the window fills
//	a window is thinned   to some 15 samples with their ends, and is full by the rule of the Java autoscaler all the same
//
// Invariants: the window never holds two samples of one slot; the first sample that counts stays until the window is
// full; once full it stays full as long as samples come; values come back as they were, to the last bit; reading never
// panics, whatever the bytes.
//
// Start reading at Kept, then at With.
package samples
