// Package rest is the REST face of the model JobManagers: paths, shapes and refusals as Flink has them.
//
// I/O: an http.Handler; no socket of its own.
//
// It must not keep state but in the JobManager's Files, which go with the process.
//
// Invariants: every refusal is a list of errors, as Flink's ErrorResponseBody; a request that changed nothing notes no
// effect; without a leader everything but /config is a 503.
//
// Start reading at makeRoutes in rest.go.
package rest
