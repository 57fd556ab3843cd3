// Package look reads what the views of package view show, as the user of one client: a resource with what belongs to
// it, and lists in pages.
//
// I/O: it reads from the API server, and writes nothing there.
//
// It must not decide what is shown: that is pkg/view's.
//
// Invariants: what cannot be read is named with the right that is missing, and the rest is read.
//
// Start reading at Reader.
package look
