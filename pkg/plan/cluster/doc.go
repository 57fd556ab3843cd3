// Package cluster is one JobManager cluster, the host of a job: its objects, whether it runs or ever ran, how it is
// started and taken down, and what stands in its place.
//
// PURE: see package plan. It answers what package job asks of a host (cluster.go, host.go), and decides nothing about
// the job. A Round is what all of it shares, and the host; a topic is a Cluster by another name, with the methods of
// one idea: starter, stopper, Remains, Ingress, takeover. Start reading at Cluster, then at the drawing above
// CarryStart and above TakeApart.
package cluster
