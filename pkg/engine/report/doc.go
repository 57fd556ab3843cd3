// Package report makes what status.error says, and the events that go with it.
//
// PURE: it writes nothing, see package record. Start reading at Failure.
package report
