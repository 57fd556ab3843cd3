// Package mesh stands for Knative on one machine: sources, Brokers, Triggers, Knative Services and the gateway, as the
// objects in the API server say.
//
// I/O: it listens on loopback addresses, installs Knative's kinds, and what its rooms do:
//
//	network   the way to the cluster's names, for functions and for the API server
//	eventing  Knative's own code that events go through, and what makes it
//	serving   Knative Services: pods as requests need them
//	ko        ko:// images, built by the go command
//	crds      PURE: Knative's kinds
//	loop      calls for every object that changed
//
// The gateway is one server for the hosts that are no pods. The API server's webhook calls come to it by TLS, under the
// certificate that a DomainMapping names.
//
// Some of Knative's state is the process's (http.DefaultTransport, SYSTEM_NAMESPACE), so a process runs one mesh at a
// time.
//
// It must not know Flink, nor the operator's files.
//
// Invariants: what a Knative object does not say does not happen; faults happen only when asked for; after Stop nothing
// listens.
//
// Start reading at Start in mesh.go, then gateway.go.
package mesh
