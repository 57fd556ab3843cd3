// Package upkeep keeps a cluster as it is wanted when no start and no stop is open: its TaskManagers, its Ingress, and
// what becomes of it after its job.
//
// PURE: see package plan. Start reading at After.
package upkeep
