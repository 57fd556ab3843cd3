// Package evidence says what the objects of a cluster prove about its processes, where no record of ours does.
//
// PURE: see package plan. Invariant: any doubt is a no. Start reading at Start.
package evidence
