// Package operation takes an open operation one step further, and begins the one that a decision asks for. An operation
// is a stop, a start, or one after the other. Each step is a round that any pass can take up from the status alone.
//
// PURE: a step says what is to be done, see package plan. It knows the host of the job by the interfaces of package
// decision. Start reading at Decided and CarryOn.
package operation
