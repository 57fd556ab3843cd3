// Package fail names what can go wrong and what follows from it.
//
// leaf, I/O-free: every package may import it and it imports none of ours.
//
// Every error of this module is one of six kinds. The kind, and nothing else, decides the HTTP answer to an event and
// the log level. That decision is one table, Of. What an error shows in a resource's status its kind decides, in
// pkg/pass.
//
// It must not: read text out of errors to decide anything, but where the API server gives nothing else
// (tooLarge), log, know a resource kind, or write anything.
//
// Invariants:
//   - KindOf is total: a nil error is None, an error nobody classified is Unknown and is handled like a Bug;
//   - a kind given on purpose beats one that is derived from a wrapped cause;
//   - Message is one line, bounded and deterministic, so that an unchanged problem writes nothing.
//
// Start reading at Kind and Of in table.go, then KindOf in classify.go.
package fail
