// Package screen says what a person reads while the platform runs: the lines of the one live screen, or the lines of a
// plain log for an output that is no terminal.
//
// PURE: values in, lines out. The caller has the clock and the terminal.
//
// Invariants: equal input, equal lines; no line is longer than the width; there are never more lines than the height; a
// state that did not change says nothing new.
//
// Start reading at Lines in lines.go; Changes is the same for a plain log, Progress is what is shown before there is a
// state.
package screen
