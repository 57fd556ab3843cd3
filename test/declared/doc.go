// Package declared reads from the source of pkg/flinkconf/key how the options are declared: the names of their
// variables and their comments. The shipped code knows options by their keys.
//
// I/O: it reads that folder. Start reading at Options.
package declared
