// Package unsupported decides for the kinds that are accepted but cannot be run yet: it says so, in a condition and
// in an event. The only thing that it does is to end one that is being deleted and that the Java operator holds by
// its finalizer, for nobody else would.
//
// PURE: see package plan. Start reading at Make.
package unsupported
