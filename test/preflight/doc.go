// Package preflight holds hack/preflight.sh to what it says of a cluster, with a kubectl of its own that answers as an
// API server would. Whether a real one answers so is for local/ and test/e2e.
//
// I/O: it runs the script. Start reading at preflight_test.go.
package preflight
