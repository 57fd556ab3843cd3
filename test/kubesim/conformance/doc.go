// Package conformance is what an API server does with writes, deletions and lists, and its controllers with
// Deployments, as tests for any API server: the model (package kubesim) runs them here, the real one in
// local/controlplane. What both pass, scenarios may rely on.
//
// I/O: it asks the API server that it is given.
//
// It must not know which server it is. What only a model can do (faults, simulated time, single steps of the garbage
// collector) is tested beside the model.
//
// Invariants: every test works in namespaces of its own, so that they can run at the same time; nothing waits for time
// to pass, only for a state.
//
// Start reading at Run.
package conformance
