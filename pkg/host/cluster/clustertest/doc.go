// Package clustertest makes clusters and pods for the tests of package cluster and of those beside it.
//
// PURE: see package plan.
package clustertest
