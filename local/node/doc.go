// Package node is the platform's one node: a real kubelet, from its Go module, over a container runtime whose
// containers are processes of this machine (node/runtime). Needs no root.
//
// I/O: it listens on loopback addresses, writes below its directory, starts processes.
//
// The kubelet is used as k8s.io/kubernetes/pkg/kubemark uses it: kubelet.Dependencies says what it works with. Volumes,
// tokens, environment, init containers, probes, restarts, back-off, grace periods, status, events and logs are its own.
// What is replaced: cgroups (none), mounts (directories in place of tmpfs and bind mounts), cAdvisor (the machine's
// size), and the resolution of service names, for which there is a table.
//
// It must not know Flink, nor decide where pods run: that is the scheduler's.
//
// Invariants: nothing outside its directory is written or removed, even as root; when Stop returns no process of a pod
// is left; only the API server's certificate opens the kubelet's port.
//
// The kubelet cannot be ended within a process: after Stop it goes on trying to reach an API server that is gone,
// without being able to start anything. A process therefore starts a node once.
//
// Start reading at Start in node.go; kubelet.go is what the kubelet is given.
package node
