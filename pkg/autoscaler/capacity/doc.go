// Package capacity says whether a Kubernetes cluster has room for more TaskManagers, from a view of its nodes.
//
// PURE: see package model of the autoscaler. Who reads the nodes is outside.
//
// It must not be taken for a promise: nothing is reserved in the cluster, and others schedule at the same time.
//
// Start reading at View.Schedule.
package capacity
