// Package kubesim is a small working model of the Kubernetes API server for scenario tests.
//
// I/O: none outside the process, except that URL opens a loopback socket.
//
// A real client-go dynamic client talks to it through Config, a plain HTTP client through URL. It keeps the semantics
// that an operator's correctness rests on: uid, resourceVersion and generation; conflicts and preconditions; the status
// subresource; no-op writes; finalizers, propagation policies and owner-reference garbage collection; selectors and
// paging; server-side apply with the API machinery's own field manager; a create, a patch or an apply as a dry run.
// What it does not model (watch, a dry run of anything else, strategic merge patch, delete collection, discovery,
// defaulting, schemas) it refuses loudly.
//
// It must not decide anything for a test: nothing happens by itself. GC is a step that the test takes; the controllers
// and nodes are package controllers.
//
// Invariants:
//   - it passes the tests of package conformance, which the real API server passes, too (kube-apiserver 1.35);
//   - every answer to an error is a metav1.Status of the code and reason that kube-apiserver gives;
//   - a write that changes nothing bumps no resourceVersion, is no effect and feeds no event;
//   - same calls, same uids, versions and times: nothing is random and no real clock is read.
//
// Start reading at Server in server.go; the rules of writing are in write.go and remove.go.
package kubesim
