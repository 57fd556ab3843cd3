// Package reachflink reaches JobManagers from outside of the cluster, through the API server, as the user of a
// kubeconfig.
//
// I/O: GETs by services/proxy, which an administrator can allow for reading and which the audit log shows one by one;
// where that is forbidden, or leads nowhere, by a port-forward to a pod of the JobManager.
//
// Invariants: a Way only reads, and asks for no path that ends a job: some GETs of Flink do. An answer of the API
// server is never taken for Flink's own: a 404 that Flink did not give is no word of a job. Nothing secret is sent. A
// Forward listens on this machine alone.
//
// Start reading at Way in way.go.
package reachflink
