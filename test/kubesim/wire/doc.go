// Package wire is what lies between a client under test and the models it talks to: it records every request, keeps the
// ordered log of effects over all models, and breaks calls where a test says so.
//
// I/O: none of its own; it serves in memory as an http.RoundTripper, or over a socket as an http.Handler.
//
// It must not know what a request means: a System tells how to name one and how to refuse one.
//
// Invariants:
//   - one Tap may stand before several systems, so that "the third effect" counts over Kubernetes and Flink;
//   - an effect is in the log exactly when the model changed, whatever the caller was told;
//   - a killed client reaches nothing until it is revived, as a process that is gone;
//   - no lock is held while a model or a test's own function runs, so that a test may run a whole pass between two
//     requests of another.
//
// Start reading at Tap and Fault.
package wire
