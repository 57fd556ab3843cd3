// Package runtime is a container runtime whose containers are processes of this machine: it implements the two services
// of k8s.io/cri-api that a kubelet asks, in the kubelet's own process.
//
// I/O: it starts and ends processes, writes their logs, and keeps a directory per pod and container below its own.
//
// There is no isolation: no root file system, no network or process namespace, no limits. What stands in for it:
//
//	an image          a mapping from paths in the image to paths of this machine (Image)
//	a mount           the same, from the kubelet's mounts; both are the container's View (view.go)
//	a path in text    arguments, environment and chosen files are rewritten from container paths to real ones
//	a pod's network   a loopback address of its own; a file of names for JVMs
//	a process tree    a process group, and a mark in the environment that all descendants inherit
//
// It must not know Flink, nor talk to the API server: volumes, probes, back-off and restarts are the kubelet's.
//
// Invariants: a container path that is neither in the image nor mounted is the machine's own; no process outlives its
// container, its runtime, or this process (by the kernel's parent-death signal; what it started by a will, package
// will); an unknown image is never guessed; state is in memory only, so a new runtime in the same directory starts with
// nothing and ends what an earlier one left.
//
// Start reading at Runtime in runtime.go, then sandbox.go, container.go, process.go, view.go.
package runtime
