// Command reasons writes docs/reasons.md: each reason that a condition, an event or a log line may have, and what it
// means. It runs by go generate.
//
// I/O: it reads the catalogue's source, pkg/plan/reason.go, and writes the one page.
//
// Start reading at page in main.go.
//
//go:generate go run . -root ../..
package main
