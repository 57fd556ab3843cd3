// Package chaos carries scripts of test/chaos out on the local platform: real functions, a real API server, and real
// Flink, whose processes are killed. What the job wrote into its ledger and what status said is judged by test/chaos.
//
// I/O: it starts a platform, changes FlinkDeployments and kills pods, and writes what it found below a directory.
//
// It must not know what a script is for.
//
// Invariants: each run has a resource and a directory of its own, and leaves nothing in the cluster; a run that fails
// leaves its script and its log.
//
// Start reading at Arena.Run.
package chaos
