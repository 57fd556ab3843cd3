// Package fleet is a large installation on one machine: the real control plane with thousands of resources as the
// product leaves them, the functions behind the mesh, and one model server that answers for all JobManagers. It
// measures what looking after them costs, and what faults do to it.
//
// I/O: it starts a platform, writes the resources through the API server, and reads /proc.
//
// The resources are stamped out of those in test/scenario/testdata/shapes.yaml, which a test holds to what the product
// writes. Their pods are on a node of their own that nobody runs: see kubelet. What is pure is in shapes.go, counts.go,
// gaps.go and table.go.
//
// It must not know how a look is made.
//
// Start reading at Run.
package fleet
