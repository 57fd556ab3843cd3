// Package build compiles the platform and says how far it is: Kubernetes is 2500 packages, and a first build takes
// minutes.
//
// I/O: it runs the go command, which downloads modules and fills Go's build cache.
//
// It must not choose compiler flags that `go test` does not have: each set of flags would compile everything again.
//
// Start reading at Build.
package build
