// Package unsupported decides for the kinds that are accepted but cannot be run yet: it says so, in a condition and in an event, and
// does nothing else.
//
// PURE: see package plan. Start reading at Make.
package unsupported
