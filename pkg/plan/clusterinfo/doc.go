// Package clusterinfo is status.clusterInfo: the figures of a cluster that people and dashboards read there.
//
// PURE: see package plan. Invariant: keys of others stay as they are. Start reading at With.
package clusterinfo
