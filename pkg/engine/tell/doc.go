// Package tell makes of what was decided what leaves the round: conditions, generations, pace, and the plan.
//
// PURE: see package plan. Start reading at Plan.
package tell
