// Package schemas holds what the tree has of other projects' kinds to the schemas of those projects, which it generates
// from their Go types as they do themselves: the Prometheus Operator's, cert-manager's and External Secrets'. It is a
// module of its own: nothing else needs those types.
//
// I/O: it reads config/monitoring and examples, and has the Go toolchain load packages.
//
// It has tests only. Start reading at TestEveryObjectIsOfItsSchema.
package schemas
