// Package cluster is one JobManager cluster, native or standalone: its objects, whether it runs or ever ran, and the
// objects of its start.
//
// PURE: see package plan. It knows nothing of what its jobs are for. Start reading at Cluster.
package cluster
