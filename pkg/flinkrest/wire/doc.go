// Package wire is one HTTP exchange with Flink: the connection, the deadline, the bounds, and what a refusal means.
//
// I/O. It knows no path of the REST API; package flinkrest does. It must not retry, cache, log or decide anything.
//
// Invariants: every error has exactly one kind; a body that is not Flink's is never taken for Flink's word; nothing
// unbounded is read; no message names a secret, a local port or a DNS server.
//
// Start reading at Conn.Do, then classify.
package wire
