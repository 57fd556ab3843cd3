// Package options reads the operator's options that decide about a FlinkDeployment, one method each, named after what
// it decides.
//
// PURE: see package plan. A text that cannot be read counts as the option's default: validation reports it. Start
// reading at Options.
package options
