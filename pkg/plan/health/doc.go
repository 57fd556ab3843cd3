// Package health judges whether a running job gets on: how often it restarts, and whether its checkpoints complete.
//
// PURE: see package plan. Judge takes the record of the look before, what Flink says now, and answers the record of
// this look; the record says whether the job is healthy. Its text in status.clusterInfo is the Java operator's.
//
// Invariants: times of checkpoints are Flink's own, so that a look that was missed changes nothing; what moves by
// itself is no news (see SameMeaning). Start reading at Judge.
package health
