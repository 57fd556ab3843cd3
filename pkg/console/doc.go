// Package console shows Flink resources in a browser: New makes an http.Handler of pages, each of which is also JSON.
// Where Options.Actions says so it offers the changes of kn flink, each after its plan.
//
// I/O: it reads from the API server, each request with the client that Options.Caller gives for it, and has no
// identity itself. Only the button of a plan writes, and with the rights of its user. The pages of plans and loads
// alone ask Flink, through the API server.
//
// It must not decide what is shown of a resource: that is pkg/view, as for the commands of kn flink; nor what a
// change is, pkg/view/edit, nor what would come of it, pkg/lookout. It keeps no state but answers that are seconds
// old, and logs nothing.
//
// Invariants: names are checked before they become a request; each text passes pkg/redact; no answer may be stored,
// run a script that is not ours, or be framed; one fleet page reads a bounded number of resources; no GET changes
// anything, and no POST without the token of its plan.
//
// Start reading at New, at the table of pages in pages.go, and at the table of changes in verbs.go.
package console
