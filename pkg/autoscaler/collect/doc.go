// Package collect turns what Flink answers into a sample of a job's metrics, and keeps the window of samples.
//
// PURE: see package model. It asks nobody: Select says what to ask Flink, and an Observation holds the answers.
//
// Order of a cycle: the job's plan and times, then for each vertex the names of its metrics, then their values, then
// JobManager and TaskManagers. A sample is kept also while the job stabilizes; only a full window is acted upon.
//
// Invariants: a job that started after the oldest sample has none of them left; the window never holds two samples of
// one time.
//
// Start reading at Collect.
package collect
