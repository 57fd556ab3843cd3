// Package peak measures how much memory a piece of work needs at its worst, for tests of what bounds it.
//
// I/O: it reads the clock and the runtime. Start reading at Of.
package peak
