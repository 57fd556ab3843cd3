// Package plan holds the words of a decision: what was observed, what to do about it, and the derived identifiers that
// make an effect safe to repeat. Each kind decides in a sub-package of its own (deployment, …) with a function
// Make(Snapshot) Plan.
//
// PURE: no I/O, no clock, no randomness; equal snapshots give equal plans, byte by byte. A plan is a printable value;
// package apply carries it out. Invariants of every plan: at most one disruptive action, none of them on an Unknown,
// empty when converged. Start reading at plan.go, then observed.go and action.go.
package plan
