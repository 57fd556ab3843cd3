// Command bench prints what a cold start of the functions is made of: the size of each binary, built as the images have
// it, the time from exec to the first accepted connection, and the memory then. Of the plugin kn-flink it prints the
// size and how long its version takes. `make bench` runs it; it needs Linux and no cluster.
//
// I/O: it builds the functions into a temporary directory and starts them on a free port of the loopback interface, in
// a mount namespace of their own with a service account's token in the place where a pod has it. They call nobody
// before the first event. Start reading at main.go.
package main
