// Package terminal draws lines on a terminal in place, or writes plain ones where there is none.
//
// I/O: it writes to one file and asks it how large it is.
//
// What the lines say is package screen's.
//
// Invariants: on a terminal nothing is written when nothing changed; elsewhere no control characters are written.
//
// Start reading at Terminal.Draw; Board is for what happens before there is a screen.
package terminal
