// Package progress shows how far steps are that run at the same time, as downloads and compilations: in place on a
// terminal, in lines of a plain log elsewhere.
//
// I/O: it writes to the file that it was given.
//
// Start reading at Board.
package progress
