// Package jsontext prints JSON texts that are kept inside a resource's status,
// the way the Java operator prints them: compact, keys in the order of the Go
// fields, only the escapes that JSON demands, doubles as Java prints them. And it
// scans texts of which a decoder would make too much.
//
// PURE. It must not know what the texts mean.
//
// Invariant: equal values have equal text, whatever escapes they came with.
// Start reading at Print, and at Scan.
package jsontext
