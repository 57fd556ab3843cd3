// Package follow watches the platform's API server and makes a screen.State of what is there.
//
// I/O: it watches Flink's resources and all pods, and reads the logs of containers that failed. It writes nothing.
//
// It must not know how a state is shown: that is package screen's; nor how functions run: its caller brings what they
// do.
//
// Invariants: State costs no request; a watch that breaks is begun again, and told of meanwhile.
//
// Start reading at Start; what an object looks like on the screen is in view.go.
package follow
