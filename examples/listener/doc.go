// Command listener prints what happens to Flink jobs, one line for each event: where to start for a listener of your
// own.
//
// I/O: it serves HTTP at PORT and writes to standard output.
//
// listener.yaml makes it a Knative Service and subscribes it to Broker flink-events by a Trigger. An event may come
// twice or late: a listener that acts looks at the resource first, as the functions do.
package main
