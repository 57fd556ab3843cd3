// Package lookout looks at resources as a pass of the operator does, as the user of one client: what would come of an
// edit, and what Flink says of a job.
//
// I/O: it reads from the API server, and from Flink through it. It writes nothing.
//
// It must not decide what would come of an edit: that is preview, by the operator's own decision.
//
// Invariants: what cannot be read is named with the right that is missing, and the rest is read.
//
// Start reading at Open.
package lookout
