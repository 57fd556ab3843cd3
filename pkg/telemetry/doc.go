// Package telemetry gives every function the same logger and the same log keys.
//
// Leaf, I/O: it writes log lines to the standard output and nothing else; metrics are in the package below. It holds no
// state and knows no domain type.
// Two levels are in use, info and debug; messages are constant and values stand in pairs under the keys of keys.go.
// Start reading at NewLogger.
package telemetry
