// Package preflight holds what hack/preflight.sh and hack/deploy.sh ask for and find, with a go and a kubectl that it
// writes. What the checks themselves say is for pkg/cli; whether a real API server answers so is for local/ and
// test/e2e.
//
// I/O: it runs the scripts. Start reading at preflight_test.go.
package preflight
