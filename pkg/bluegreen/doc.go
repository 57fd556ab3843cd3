// Package bluegreen decides about a FlinkBlueGreenDeployment: it is a controller of two FlinkDeployments, its sides, of
// which one serves. What each side does is decided by its own passes; this package creates, changes and deletes their
// resources, takes the savepoint that a new side starts from, and moves the Ingress.
//
// PURE: no I/O, no clock, no logger; equal input gives an equal plan.
//
// A decision is a value: Make finds the rule, the rule answers with a Decision that has the whole next status and the
// actions, and finish alone makes the plan of it. What is under way is status.transition; its step is stored before
// what it does is begun, so a pass that comes later carries it on from what it finds.
//
//	a transition   SAVEPOINT -> CLEAR -> CREATE -> AWAIT -> RETIRE -> RETIRED
//	  aborted                             AWAIT -> ABORT
//	  taken back                          AWAIT -> WITHDRAW
//	in place       PATCH -> SETTLE
//
// It must not import package engine: it knows of a side what its status says.
//
// Start reading at Make.
package bluegreen
