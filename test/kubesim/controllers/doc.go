// Package controllers makes the model API server's world move: the controllers of Deployments and ReplicaSets
// (these have next to no status), the scheduler, the nodes' kubelets and the garbage collectors.
//
// I/O: none; it reads and writes the model API server directly, past the recorder.
//
// It must not know Flink: what a container does is the Runtime's business.
//
// Invariants:
//   - nothing moves but by Step, and a Step does the same in the same order each time;
//   - a pod takes one step each to be made, bound, started and ready, so that a test can stop between;
//   - a kubelet that cannot be reached does nothing, and what ran on its node goes on running, whatever the API server
//     says.
//
// Start reading at Controllers.Step; rollout.go is the Deployment controller, replicasets.go the one of
// ReplicaSets, late.go what they hear late, kubelet.go the nodes.
package controllers
