// Command kn-flink-local runs Kubernetes and Flink on this machine, without containers and without root, until it is
// interrupted.
//
// I/O: it starts the control plane and the node, and prints where to look.
//
// Wiring only: what runs is in local/controlplane, local/node and local/flink.
//
// Invariants: when it ends, however it ends, no process of it is left.
//
// Start reading at run.
package main
