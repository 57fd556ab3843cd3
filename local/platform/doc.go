// Package platform is the whole local platform in one call: control plane, node, mesh, and the operator installed from
// the files of config/.
//
// I/O: what its parts do. It must not know what is shown to people: that is its callers'.
//
// Invariants: nothing is configured here that a file of config/ says; a Start that fails leaves nothing running; after
// Stop no process is left.
//
// Start reading at Start.
package platform
