// Package kube is the one way to the Kubernetes API server: a dynamic client with typed edges.
//
// I/O: every call is one request (a List is one per page); nothing is cached and nothing is retried here, because a
// pass reads the world afresh and a failed one comes again. Absence is an answer, not an error: Get says found or not.
// Writes carry the preconditions that they are given. Only packages apply and, for its clock, observe write through it.
// Start reading at Client.
package kube
