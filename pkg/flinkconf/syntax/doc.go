// Package syntax reads and prints the value texts of Flink configuration options exactly as Flink 1.20's client does:
// durations, memory sizes, lists, maps and floating point numbers.
//
// PURE: text in, values out. It knows no option, no file and no version.
//
// It must not guess: a text that Flink would refuse is an error here, and the error names what was found and what is
// accepted.
//
// Invariants: ParseDuration(FormatDuration(d)) == d and ParseMemory(FormatMemory(b)) == b for every value Flink can
// print; SplitList(JoinList(items)) == items for items that Flink can represent.
//
// Start reading in memory.go; the others have the same shape.
package syntax
