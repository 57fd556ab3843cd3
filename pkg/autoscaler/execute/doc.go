// Package execute decides on a whole job: which vertices get another parallelism, whether anything forbids that now,
// and what is stored when it is done.
//
// PURE: see package model. What would need to ask somebody, plug-ins of the user's own and the room of the cluster, is
// given as a function or as an answer.
//
// Order: the changes of all vertices, the switches of the user, the user's own executors, the memory, the room and the
// quota of what they left, and only then the report and what is stored. Propose goes up to the executors, Commit on
// from there.
//
// Invariant: the state changes as a whole or, but for scale downs that wait, not at all.
//
// Start reading at Propose.
package execute
