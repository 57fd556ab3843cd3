// Package atexit has something done after this process, however it ends: by itself, by a library's os.Exit, by a panic,
// or by a SIGKILL that nobody can answer.
//
// I/O: it starts /bin/sh, which waits at a pipe until this process is gone.
//
// A shell and no program of ours, because it is there, and small. The kernel closes the pipe.
//
// It must not know what is done, nor for whom.
//
// Invariants: the script runs once, and not after Revoke; no signal of a terminal or to a process group ends the shell;
// it has none of this process's environment.
//
// Start reading at Start.
package atexit
