// Package sessionjob decides for a FlinkSessionJob: the life of one job on a session cluster.
//
// PURE: see package plan. The life itself is the engine's, the same as that of an application's job; the session
// cluster as the host of many jobs is package session. Here are the rules in their order, and those of this kind alone.
//
// Invariants:
//   - a job runs under an ID that was stored before Flink was asked to run it, so a second request is refused by Flink;
//   - the intent is stored before the session cluster is looked at for it: a cluster that is about to be stopped is
//     never given a job (design.md 3.2, raise the flag, then look);
//   - a job ID is used for one start.
//
// Start reading at Make.
package sessionjob
