// Package unsupported decides for a kind that is accepted but cannot be run yet, FlinkBlueGreenDeployment: it says so,
// in a condition and in an event. The only thing that it does is to end one that is being deleted and that a finalizer
// of the Java operator's holds, for nobody else would.
//
// PURE: see package plan. Start reading at Make.
package unsupported
