// Package apply carries a plan out. It is the only package that writes children, resources and Flink jobs.
//
// I/O: it decides nothing. Actions run in order, each with its precondition, and the first failure ends the round;
// events are published before the status write that they go with; the status is written at most once besides the record
// that a plan asks for. Start reading at Execute.
package apply
