// Package history has the form of the revision history: a ControllerRevision for each start of a job that was let run,
// and which of them go.
//
// PURE: objects in, values out, and back.
//
// Invariants: what a revision holds is never changed once it is stored, only its annotations are; a spec is stored as a
// whole or not at all. Start reading at Revision.
package history
