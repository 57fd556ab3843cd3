// Package flink brings Flink distributions to this machine: the jars from PyPI's apache-flink-libraries, checked,
// cached by version, and made into a home directory that the local node can run pods from.
//
// I/O: it downloads over HTTPS, writes below a cache directory that all platforms of a user share, and runs javac.
//
// The package on PyPI has the jars of a release but no launch scripts, no configuration and no examples: the scripts
// are ours (home/), the examples are compiled from the sources that Options.Jobs names.
//
// It must not know Kubernetes. Package flink/images makes images of what is here.
//
// Invariants: a directory in the cache is complete or not there; what was downloaded has the SHA-256 that the index
// says; two processes that want the same version download it once; with a warm cache there is no network.
//
// Start reading at Cache.Home in cache.go; releases.go says which versions there are.
package flink
