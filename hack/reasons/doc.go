// Command reasons writes docs/reference/reasons.md: each condition, each reason that a condition, an event or a log
// line may have, each situation, and what they mean. The plugin kn flink has the same of each reason, in
// pkg/view/advice/table.go. It runs by go generate.
//
// I/O: it reads the sources below pkg, and writes these two files. The conditions are in package summary. The catalogue
// of package plan gives the groups.
// Constants of the other packages and literals where an error is made follow. A constant without a comment is an error.
//
// Start reading at page in main.go.
//
//go:generate go run . -root ../..
package main
