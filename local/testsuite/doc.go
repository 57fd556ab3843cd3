// Package testsuite is for tests on what takes long to start: it is started once for the tests of a package.
//
// I/O: a temporary directory, which stays when a test failed.
//
// It must not know what is started.
//
// Invariants: what was started is stopped, the last first; a process that is left fails the tests.
//
// Start reading at Main.
package testsuite
