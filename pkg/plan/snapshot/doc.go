// Package snapshot decides what to do for one FlinkStateSnapshot.
//
// PURE: see package plan. Invariants: a request is stored with its ID before it is made; what Flink says it completed
// is never given up; an attempt counts only when Flink refused or lost it, not when its cluster was replaced; a job
// that comes back within the checkpoint timeout is waited for; another resource of the job's name is another job;
// deletion always ends, and says what it left behind. Start reading at Make, then inProgress, pending and deleting.
package snapshot
