// Package jsontext prints JSON texts that are kept inside a resource's status,
// compact, keys in the order of the Go fields, doubles as Java prints them. And it
// scans texts of which a decoder would make too much.
//
// PURE. It must not know what the texts mean.
//
// Invariant: equal values have equal text. Raw JSON in them keeps its own.
// Start reading at Print, and at Scan.
package jsontext
