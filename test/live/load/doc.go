// Package load runs a job whose load changes, with the autoscaler on, on this machine: the real functions, Kubernetes'
// API and Flink. It records how many records come in and wait, and with how many subtasks the job works.
//
// I/O. It starts processes. Start reading at Run.
package load
