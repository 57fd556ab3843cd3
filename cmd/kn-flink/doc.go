// Command kn-flink is the plugin of kn and kubectl for Flink jobs: kn flink, or, linked as kubectl-flink, kubectl
// flink.
//
// I/O: streams, signals and the exit code of the process. Everything else is package cli.
//
// Start reading at main.
package main
