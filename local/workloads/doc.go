// Package workloads runs the kinds of jobs that people have, as their examples in examples/ say, with real Flink.
//
// I/O: one platform for all tests of the package.
//
// It must not test the operator's rules: those are test/scenario's. It shows that each example does what its text says.
//
// Invariants: a test uses the file of examples/ as it is, but for names, paths and addresses of this machine.
//
// Start reading at TestABatchJobEnds.
package workloads
