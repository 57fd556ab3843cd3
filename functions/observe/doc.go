// Command observe is the function that looks: it writes nothing but the clock's schedule, and asks for passes.
//
// I/O, wiring only. It takes ticks of the clock, changes of JobManager Deployments, and its own shard events; package
// sweep does the rest. Start reading at function.go.
package main
