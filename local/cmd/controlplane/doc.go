// Command controlplane runs a real API server and its controllers, with Knative's definitions, for a test of another
// module. It writes the path of a kubeconfig when all is ready, and ends with its standard input: so with the test.
//
// I/O: as package controlplane.
//
// Wiring only. Start reading at run.
package main
