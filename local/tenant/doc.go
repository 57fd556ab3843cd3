// Package tenant is what a user does in a namespace, for tests on the local platform: apply files of examples/, change
// and remove FlinkDeployments, and look at what became of them, by status, events and logs.
//
// I/O: it asks the API server. What a test that failed has made stays, with its pods and logs.
//
// It must not know the operator: a user sees resources alone.
//
// Invariants: each wait is bounded by the namespace's limit; what a test has applied is gone when the test has passed.
//
// Start reading at Namespace.
package tenant
