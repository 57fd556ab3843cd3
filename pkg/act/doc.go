// Package act makes the changes that users ask for, as the user of one client: kn flink and the console make them by
// the same code.
//
// I/O: it reads from the API server, and writes resources of ours there.
//
// It must not decide what a change is: that is package view/edit.
//
// Start reading at Begin and Change.
package act
