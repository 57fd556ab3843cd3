// Package processes finds the processes that belong to a directory, and ends them: all that descend from a process that
// was started with the directory's mark in its environment, whatever group or session they went to.
//
// I/O: it reads /proc and sends SIGKILL.
//
// It must not know what the processes are.
//
// Invariants: a process of another user, or without the mark, is never touched; what is bound to a directory ends with
// this process, however this process ends.
//
// Start reading at Mark; Bind is for a command that runs once.
package processes
