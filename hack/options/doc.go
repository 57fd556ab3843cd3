// Command options writes docs/reference/configuration.md, all options, and docs/reference/kinds.md, the fields of the
// kinds. The plugin kn flink has the options, too, in pkg/view/option/table.go. It runs by go generate.
//
// I/O: it writes these files, from package key and from config/crds. A test in key holds its lists against the code.
//
// Start reading at pages in main.go.
//
//go:generate go run . -root ../..
package main
