// Package startup carries out the steps of the start of a cluster.
//
// PURE: see package plan. Start reading at the drawing above carryStart.
package startup
