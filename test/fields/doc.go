// Package fields names the fields of a struct that are set, so that a test can say which questions a look asks.
//
// PURE. Start reading at Set.
package fields
