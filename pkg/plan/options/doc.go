// Package options reads the operator's options that decide about a FlinkDeployment, one method each, named after what
// it decides.
//
// PURE: see package plan. Validation refuses a text that cannot be read, and while the resource has one nothing is done
// by it (Misread). What goes on in spite of it, a deletion and an open operation, reads the default that its method
// names. Start reading at Options.
package options
