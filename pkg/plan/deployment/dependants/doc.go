// Package dependants names who has to look again after a pass of a FlinkDeployment.
//
// PURE: see package plan. A dependant that is not told finds out by the next sweep: a name that is missing costs time,
// a name too many a pass. Start reading at Moved.
package dependants
