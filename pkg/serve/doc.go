// Package serve runs a function's HTTP server until Knative stops it.
//
// Leaf, I/O: it listens and nothing else. Knative sends SIGTERM only when the last request has been answered, so the
// end is quick. Start reading at Until.
package serve
