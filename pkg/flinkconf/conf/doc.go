// Package conf holds the two types that everything about Flink configuration is said in: Config, a flat set of keys and
// texts, and Option, the description of one key with its default and its older spellings.
//
// PURE: no file, no clock, no Flink version. What a key is called stands in the package key, how its text is read in
// the package syntax.
//
// It must not invent values: a text that does not parse is an error that names the key, the value and what is accepted,
// never a default.
//
// Invariants: reading never changes a Config; the key itself beats its fallbacks, and those are tried in the order
// given; a map option that is not there under its own key is collected from the keys below it (Flink's prefix
// notation).
//
// Start reading in config.go, then read.go.
package conf
