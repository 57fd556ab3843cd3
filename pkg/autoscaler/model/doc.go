// Package model holds the values that the autoscaler computes with: the metrics of a job, its topology, the samples of
// a window, what is stored between cycles, and the options.
//
// PURE: values in, values out. The time is always an argument.
//
// Invariants: samples, scaling history and restarts are in ascending order of time. NaN is a normal value and means
// "not known"; infinite rates are normal values too (a vertex that was never busy).
//
// It must not decide anything: packages collect, evaluate, scale and execute beside it do.
//
// Start reading in metric.go, then state.go.
package model
