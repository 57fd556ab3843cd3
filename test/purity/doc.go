// Package purity holds decisions to what a pure function promises.
//
// PURE, but for the test that it fails. It is for tests of the packages below pkg/plan, and must not know what is
// decided.
//
// Start reading at Decide.
package purity
