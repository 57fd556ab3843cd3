// Package watch lets a test wait for what it should see in a cluster: by the API server's watch, or by asking again
// where there is none.
//
// I/O: it reads the API server.
//
// It must not know what is waited for.
//
// Invariants: what happens after Start has returned is not missed; every wait has a deadline and says then what is
// missing.
//
// Start reading at Start.
package watch
