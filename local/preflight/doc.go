// Package preflight says what this machine lacks for the platform, and how to get it.
//
// I/O: Inspect reads the environment, PATH, /proc and the file system. What follows from that is pure.
//
// Invariants: nothing is installed, downloaded or changed; every complaint says what to do.
//
// Start reading at Machine.Missing.
package preflight
