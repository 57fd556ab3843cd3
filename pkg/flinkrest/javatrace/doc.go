// Package javatrace reads the stack traces that Flink puts into its answers: the chain of causes, and one line of it.
//
// PURE. It must not lose the innermost cause, which is what a person needs.
//
// Start reading at Causes.
package javatrace
