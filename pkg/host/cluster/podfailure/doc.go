// Package podfailure says why a JobManager does not come up, from what Kubernetes shows of its pods.
//
// PURE: see package plan. Invariant: the same problem has the same words each time it is looked at. Start reading at
// Find.
package podfailure
