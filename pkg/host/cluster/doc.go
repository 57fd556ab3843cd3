// Package cluster is one JobManager cluster, the host of a job: its objects, whether it runs or ever ran, and what
// stands in its place.
//
// PURE: see package plan. It answers what the engine asks of a host (host.go), and decides nothing about the job. What
// a start and a stop do is beside it: claim, startup, takedown, upkeep. Start reading at Cluster.
package cluster
