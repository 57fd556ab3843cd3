// Package metrics counts what a function does and sees, and pushes it before the function may be frozen or ended.
//
// Leaf, I/O. A nil *Metrics is that of a function without an endpoint: every method of it does nothing, and costs
// nothing. It knows no domain type, only names: names.go has them all, docs/reference/metrics.md explains
// them. Start reading at
// New and Push; ADR 0050 has the reasons.
package metrics
