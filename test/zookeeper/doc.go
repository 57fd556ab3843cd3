// Package zookeeper runs a real ZooKeeper server for tests.
//
// I/O: it runs Maven once for each version, to copy the server's jars into the user's cache directory, and Java as a
// child process that listens on a loopback address. A test that cannot have them fails and says what to install.
//
// It must not know Flink, nor what the tests do with the server.
//
// Start reading at Start.
package zookeeper
