// Package pods says in a few words how a pod is, why a container of it failed, and what its log says.
//
// PURE: objects in, values and texts out. The caller has the clock.
//
// It must not decide anything: phases and reasons are those that Kubernetes has.
//
// Start reading at Of in pod.go.
package pods
