// Package records notes what a function does, as spans and as log lines, and pushes both by OTLP before the function
// may be frozen or ended.
//
// Leaf, I/O. A nil *Records notes nothing, and costs nothing. It knows no domain type: spans begin by telemetry.Begin,
// and lines are those of the function's logger. Start reading at New; ADR 0064 has the reasons.
package records
