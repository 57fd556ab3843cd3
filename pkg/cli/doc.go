// Package cli is the commands of kn flink, as a library: New makes the root command, and whoever runs it has the
// streams, the exit code and the signals.
//
// I/O: it reads and writes resources of the API server as the user of the kubeconfig, and the streams of Options. It
// never executes in a pod, reads no Secret, and asks for nothing that it was not asked to show.
//
// It must not decide what is shown or changed: that is pkg/view and pkg/view/edit. It has no globals and no logger, and
// ends no process.
//
// Invariants: no client is made before a command needs one; each text passes pkg/redact; what cannot be read is named
// with the right that is missing, and the rest is shown; an error is an *Exit.
//
// Start reading at New, and at the table of commands in commands.go.
package cli
