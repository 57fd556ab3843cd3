// Package install knows the manifests of a release: how they are read, which resource each object is, and what of them
// depends on the cluster, such as where the gateway of the webhook is.
//
// PURE: no I/O, no clock. Package cli applies them.
//
// Start reading at Read, and at Resources.
package install
