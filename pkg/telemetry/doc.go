// Package telemetry gives every function the same logger, the same log keys, and the traces that its lines and its
// spans are of.
//
// Leaf, I/O: it writes log lines to the standard output and nothing else; what is pushed is in the packages below:
// metrics, records (spans and lines), push (when) and otlp (how). It holds no state and knows no domain type.
// Two levels are in use, info and debug; messages are constant and values stand in pairs under the keys of keys.go.
// Start reading at NewLogger.
package telemetry
