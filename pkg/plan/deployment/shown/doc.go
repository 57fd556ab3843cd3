// Package shown derives from a decision what people, scripts and the clock read of a FlinkDeployment: its situation,
// conditions, lifecycle state and pace, and what it waits for.
//
// PURE: see package plan. It decides nothing and reads the subject that the rules have written. Start reading at
// Summarize.
package shown
