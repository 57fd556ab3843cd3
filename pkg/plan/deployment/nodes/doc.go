// Package nodes decides about the pods of a cluster that should be gone and are not: who waits for what, and when a pod
// on a machine that does not answer may be taken for dead.
//
// PURE: see package plan. Invariant: a pod is only given up when its process cannot be running, or cannot be leading:
// its node object is gone, or high availability has had its leader's lease run out. Everything else is waited for, with
// a word on what a person can do. Start reading at Judge.
package nodes
