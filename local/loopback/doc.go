// Package loopback gives each platform on a machine a network of its own out of 127.0.0.0/8.
//
// I/O: it binds an abstract Unix socket as a lock, and TCP ports to see whether they are free.
//
// On Linux the whole of 127/8 answers on the loopback device without being configured. A platform holds one
// 127.N.0.0/16: its own servers are at 127.N.0.x and its pods at 127.N.1.1 and up, so that two platforms, each with a
// Flink web page on port 8081, never meet. Nothing here leaves the machine.
//
// It must not know what listens at an address.
//
// Invariants: no two live processes hold the same network; a network is free again the moment its process ends, however
// it ends; the same state directory gets the same network again unless another process took it meanwhile.
//
// Start reading at Reserve.
package loopback
