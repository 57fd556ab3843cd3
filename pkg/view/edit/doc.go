// Package edit says which change of a resource a command of kn flink is, whether the resource may be changed here, and
// how its end reads.
//
// PURE: objects in, patches and texts out. The caller has the clock, and writes.
//
// Invariants: each change is one that kubectl could make; what gives state up says so; a resource that a GitOps tool
// owns is never changed unasked.
//
// Start reading at Edit.
package edit
