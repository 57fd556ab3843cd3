// Package quarantined decides for a resource that the function dies of (package quarantine): nothing is done for it,
// and a condition and an event say so.
//
// PURE: see package plan. Start reading at Make.
package quarantined
