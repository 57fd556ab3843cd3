// Command reconcile is the function that runs passes: the only writer of Flink clusters, their objects and resource
// status.
//
// I/O, wiring only. It takes events of the four kinds and pass.requested, runs the pass of package pass for the
// resource that the event names, and answers by the table of package fail. Start reading at function.go.
package main
