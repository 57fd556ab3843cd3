// Package controlplane runs a real Kubernetes control plane in this process: etcd, kube-apiserver, the controllers of
// kube-controller-manager that a Flink cluster needs, and kube-scheduler, each from its own Go module.
//
// I/O: it listens on loopback addresses and Unix sockets only, and writes below its state directory and one short
// temporary directory.
//
// In process means: nothing is left behind however the process ends, the parts share one heap, and a test needs no
// second binary. Their log lines go to one file. Some of their state is the process's (feature gates, metrics, klog),
// so a process runs one control plane at a time.
//
// What it leaves out: the EndpointSlice controllers, because the API server takes no loopback address as an endpoint
// (names are resolved from Services and Pods by local/node); everything about clouds, volumes, certificates and
// autoscaling.
//
// Invariants: RBAC and the node restriction are on; only the holder of a certificate or token gets in; a clean Stop
// returns after every part has ended; the same directory started again has the same objects, certificates and address.
//
// Start reading at Start in controlplane.go.
package controlplane
