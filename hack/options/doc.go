// Command options writes docs/options.md: which options of the Java operator have no effect here. It runs by go
// generate.
//
// I/O: it writes the one page, from the list in package key. A test there holds the list against the code.
//
// Start reading at page in main.go.
//
//go:generate go run . -root ../..
package main
