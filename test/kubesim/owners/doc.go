// Package owners keeps metadata.managedFields for the model API server: who set which field, and server-side apply on
// top of it. It is the API machinery's own field manager over a deduced schema, in which every list is one value:
// whoever sets it owns it whole.
//
// PURE but for the API machinery, which reads the clock; the times it writes are replaced by the caller's.
//
// It must not store anything.
//
// Invariant: a write that changes no field changes no entry, so that it stays a no-op.
//
// Start reading at Managers.
package owners
