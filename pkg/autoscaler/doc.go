// Package autoscaler decides how a running job is scaled: samples in, a decision and its explanation out. Decisions,
// option keys, stored values and texts are those of the Java job autoscaler, so that either can go on where the other
// stopped; recorded decisions of it are the test.
//
// PURE: see package model. It asks nobody: an Observation holds what Flink answered, answers of plug-ins and the room
// of the cluster are arguments, and what is to be stored is in the Result.
//
//	collect   samples   evaluate   scale      execute    store    tuning    capacity   plugin
//	sample    what is   rates,     one        the job,   the      TaskM.    room in    names of the
//	of Flink  kept      bounds     vertex     events     ConfigM. memory    nodes      user's own
//
// Order of a cycle: collect, evaluate, decide; then, whatever came of that, the stored overrides are laid over the spec
// (Realize). A decision is stored first and applied afterwards, by each cycle again.
//
// Invariants: equal input gives an equal result; a decision is never taken on a window that is not full; the state that
// is to be stored is in the Result also beside an error, as far as the cycle got.
//
// Functions that remember nothing make a cycle in two halves: Take adds a sample to what package samples keeps, and
// Decide decides by that. What plug-ins are to be asked first is in the result (consult.go).
//
// Start reading at Run, then in explain.go.
package autoscaler
