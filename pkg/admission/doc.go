// Package admission answers the API server's questions about the resources that users write: whether an object may be
// stored (/validate), and what should be changed in it first (/mutate).
//
// I/O: it reads the objects that a spec refers to, one GET by name each, and resolves the host of a jar. It writes
// nothing. What is right and wrong is decided in package validation, the same that every pass runs again; here is only
// the protocol, and the gathering of what validation must know.
//
// # Invariants
//
//   - A wrong spec is an answer, not a failure: HTTP 200 with allowed=false, status 403 and all problems in one
//     message. HTTP 500 is for what is not a review, or for a bug of ours; then the webhook's failurePolicy decides.
//   - What cannot be looked up in time is Unknown and denies nothing. What is not there is Absent.
//   - A mutation is a minimal JSON patch, `[]` when there is nothing to change, and always allowed.
//   - Reviews are bounded in size, and no input makes it panic (a panic is answered with 500).
//
// Start reading at Handler.ServeHTTP.
package admission
