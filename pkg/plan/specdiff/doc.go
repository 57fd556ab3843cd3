// Package specdiff says how far a change of a spec reaches: is it nothing, can the running job take it, does the job
// have to be scaled, restarted, or redeployed from a given savepoint?
//
// PURE: two specs in, one Change out. It never changes its inputs.
//
// It must not decide what to do about a change, nor judge whether the new spec is valid.
//
// Invariants:
//   - Every field of a spec has exactly one row in the tables of tables.go; a field without a row fails a test.
//   - The kind of a change is the most severe kind of its fields; no field, no change.
//   - flinkConfiguration is compared by flat key, so nested and dotted spelling of the same content are no change. Pod
//     templates are compared as Kubernetes reads them, so members it does not know are no change. Quantities are
//     compared by value.
//   - Equal is stricter: ignored fields and the spelling of flinkConfiguration count.
//   - Texts never show the value of a key or environment variable whose name speaks of a secret, and are bounded.
//
// Start reading in tables.go, then classify.go. text.go prints the text of the SpecChanged event, bluegreen.go reads a
// change of a blue/green template.
package specdiff
