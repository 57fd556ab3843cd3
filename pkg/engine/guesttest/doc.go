// Package guesttest has what the tests of the engine share: a job that was deployed, on a host that is always there.
//
// I/O: it is for tests alone, and fails them. Start reading at NewLife.
package guesttest
