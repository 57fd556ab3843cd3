// Package release has the manifests that a released plugin installs: its version of the kinds, the installation, its
// other shapes, and what a tenant needs.
//
// I/O: none but the files in the binary. Start reading at Files.
package release
