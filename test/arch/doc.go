// Package arch proves the house rules over the source tree: who imports whom, what a PURE package may use, sizes of
// files, functions and types, names, comments, and what the functions link.
//
// I/O: its tests read the source files and run `go list`; nothing else.
//
// It must not know any package's insides. A package that is not there yet breaks no rule.
//
// Invariants: an exception is a line in the table with a reason; one that is no longer needed fails, too; every rule is
// itself tested on a source that breaks it.
//
// Start reading at the rooms in layers_test.go and the exceptions in exceptions_test.go.
package arch
