// Package maven brings jars of Maven's repository to tests that run them.
//
// I/O: it runs Maven once for each project file, to copy the jars into the user's cache directory.
//
// It must not know what the jars are for.
//
// Invariants: a directory of jars is complete, or not there.
//
// Start reading at Jars.
package maven
