// Package flinksim is the World of the scenario tests: the model API server of package kubesim, its nodes, and in their
// pods a working model of Flink.
//
// I/O: none outside the process.
//
// Clients reach JobManagers by World.Dial or World.Transport under the name of their REST Service, and Kubernetes by
// World.Config. Each request goes through the World's Tap, so that the n-th effect counts over both.
//
// It must not decide anything for a test: nothing happens but by Step, Tick and Settle, and the clock stands still but
// for Tick.
//
// Invariant: the same calls give the same world, byte for byte.
//
// Start reading at World. Processes are in process, REST in rest, one job and its snapshots in job.
package flinksim
