// Package console shows Flink resources in a browser: New makes an http.Handler of pages, each of which is also JSON.
//
// I/O: it reads from the API server, each request with the client that Options.Client gives for it, and has no identity
// itself. It only reads, and answers GET and HEAD alone.
//
// It must not decide what is shown of a resource: that is pkg/view, as for the commands of kn flink. It keeps no state
// but answers that are two seconds old, and logs nothing.
//
// Invariants: names are checked before they become a request; each text passes pkg/redact; no answer may be stored, run
// a script that is not ours, or be framed; one fleet page reads a bounded number of resources.
//
// Start reading at New, and at the table of pages in pages.go.
package console
