// Package view says in a few words how a Flink resource and a pod are: for a line of a log, a row of a table, a page.
//
// PURE: objects in, values and texts out. The caller has the clock.
//
// It must not decide anything: states, reasons and messages are those that the status has.
//
// Start reading at ResourceOf in view.go.
package view
