// Package doctor judges an installation: what stands in the way of one, whether one is whole, and what another operator
// leaves to be taken over. Each check is a row that says what it reads, how bad it is, and what to do.
//
// PURE: no I/O, no clock. Package inspect reads the facts that the rows judge.
//
// Invariants: a fact that could not be read is no fault: its rows say so, and the others judge all the same; each
// failure names its repair.
//
// Start reading at Before and Installed in table.go.
package doctor
