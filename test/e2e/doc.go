// Package e2e tests the installed operator on a real cluster: any one that KUBECONFIG names, with Knative and the
// images flink:1.20, flink:2.2 and flink:2.2.1 within reach. `make e2e` runs it; build tag e2e keeps it out of `make
// test`. What takes long has tag nightly as well: `make e2e E2E_ALL=yes`.
//
// I/O: it installs the operator with hack/deploy.sh, makes resources in one namespace of its own and removes them, and
// prints a report of figures beside their aims at the end. It waits on conditions by watch, each with a deadline; a
// figure that misses its aim is marked and fails nothing, because it says as much about the machine. What a job with
// state goes through is in test/life, which the local platform's tests share.
//
// Start reading at main_test.go, then at application_test.go.
package e2e
