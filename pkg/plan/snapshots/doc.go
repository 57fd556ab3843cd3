// Package snapshots holds what a job's own plan has to do with savepoints and checkpoints beside its upgrades: whether
// one is due, the FlinkStateSnapshot objects that ask for them or stand for them, which old ones go, and the record in
// the job's status that takes the place of those objects when kubernetes.operator.snapshot.resource.enabled is false.
//
// PURE: see package plan. It works on facts and on copies of status; it triggers nothing. Invariants: the newest
// completed snapshot is never cleaned up, nor one that somebody may still read, nor one of another job of the same
// name; what is due follows from stored times alone, so that a repeated look changes nothing and a lost one is caught
// up once. Start reading at Facts, then Due, Cleanup and ProgressOf.
package snapshots
