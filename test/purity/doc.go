// Package purity holds decisions to what a pure function promises. It is for tests of the packages below pkg/plan.
//
// PURE. It must not know what is decided. Start reading at Decide.
package purity
