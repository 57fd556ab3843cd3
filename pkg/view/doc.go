// Package view says how a Flink resource is, why, and what a wait for it has come to: as a line of a log, a row of a
// table, a page, a value with JSON names.
//
// PURE: objects in, values and texts out. The caller has the clock.
//
// It must not decide anything: states, reasons and messages are those that the status has. Pods are those of package
// pods, what a change does is package edit's; advice and option are tables that hack/ writes.
//
// Invariants: a text of a status, an event or a pod passes pkg/redact; what a resource does not have is left out.
//
// Start reading at RowOf in row.go, then at Why in story.go.
//
//go:generate go test -count=1 -run ^TestC2EveryRecordedStatusIsTold$ . -update
package view
