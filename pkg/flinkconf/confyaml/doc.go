// Package confyaml reads and prints Flink's two configuration files: config.yaml, nested YAML, and flink-conf.yaml,
// flat lines.
//
// PURE: text in, entries out, and back. It knows no option.
//
// It must not lose an entry without saying so: what config.yaml cannot hold (a key that is also the beginning of
// another one) is an error, and what a flat line cannot hold is listed above PrintLegacy.
//
// Invariants: Parse(Print(entries)) gives the entries back for every text that is valid UTF-8; Print has one result for
// equal entries, sorted by key.
//
// Start reading in print.go.
package confyaml
