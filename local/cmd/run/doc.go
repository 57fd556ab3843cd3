// Command run is what `make run` starts: it says what this machine lacks, brings everything that the platform needs to
// this machine, and becomes the platform.
//
// I/O: it downloads Flink and Go modules and compiles, once; then it replaces itself by local/cmd/kn-flink-local.
//
// It must not link Kubernetes: it has to be there in a second.
//
// Start reading at run.
package main
