// Package follow watches the platform's API server and says what changes there.
//
// I/O: it watches Flink's resources and all pods, and reads the logs of containers that failed. It writes nothing.
//
// It must not know how functions run: its caller brings what they do. What is said of an object is pkg/view's.
//
// Invariants: State costs no request; a watch that breaks is begun again, and told of meanwhile; a state that did not
// change says nothing new.
//
// Start reading at Start; Changes in changes.go makes the lines.
package follow
