// Package startup is what every function does between its start and its first request: it reads where metrics go and
// how to log, finds the API server, reads the settings, and listens.
//
// I/O: it reads the environment and mounted files, and listens. It asks the API server nothing.
//
// It must not know what a function does.
//
// Start reading at Begin.
package startup
