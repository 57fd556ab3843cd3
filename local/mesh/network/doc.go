// Package network is the cluster's network for whoever is not in it: the functions, which are processes that no DNS
// helps, and the API server, which calls webhooks by a Service's ClusterIP.
//
// I/O: it listens on one loopback address (SOCKS 5) and one Unix socket (HTTP CONNECT), and dials.
//
//	function ──SOCKS 5──────────┐
//	                            ├─► Resolve: name or ClusterIP, port ─► address on this machine
//	API server ──HTTP CONNECT───┘
//
// HTTP CONNECT is Kubernetes' own way for a control plane that is not on the cluster's network (its egress selector).
// SOCKS is what Go's http.Transport speaks by itself, and a connection that fails there fails as any other does.
//
// It must not know Services or pods: Resolve does.
//
// Start reading at Listen.
package network
