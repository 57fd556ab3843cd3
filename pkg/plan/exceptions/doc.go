// Package exceptions makes events of what Flink remembers of a job's failures, each once.
//
// PURE: see package plan. Tell takes the record of the look before and the job's exception history, and answers the
// record of this look with the events. Due says when the history has to be asked for: only when something of the job
// has changed since.
//
// Invariants: an entry is told of when it is newer than the newest that was told; which functions were awake meanwhile
// makes no difference, because the record is in the status. Start reading at Tell.
package exceptions
