// Package unsupported decides for what nothing is done for: a kind that is accepted but cannot be run yet
// (see package kinds), and a resource that the function dies of (package quarantine). It says so,
// in a condition and in an event. The only thing that it does is to end one that is being deleted and that a finalizer
// of the Java operator's holds, for nobody else would.
//
// PURE: see package plan. Start reading at Make.
package unsupported
