// Package claim stops at a cluster or at high-availability data that stands in the place of a resource and that its
// status does not account for.
//
// PURE: see package plan. Start reading at Unaccounted.
package claim
