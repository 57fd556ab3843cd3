// Package status derives from a decision what people, scripts and the clock read of a resource, for all kinds: its
// conditions, the words of its errors, and which statuses mean the same.
//
// PURE: see package plan. It decides nothing. Start reading at Conditions.
package status
