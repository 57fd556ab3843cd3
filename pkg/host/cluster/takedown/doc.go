// Package takedown carries out the steps that end a cluster: of a stop, of a deletion, and before another start.
//
// PURE: see package plan. Start reading at the drawing above takeApart.
package takedown
