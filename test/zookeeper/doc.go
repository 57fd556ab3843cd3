// Package zookeeper runs a real ZooKeeper server for tests.
//
// I/O: it runs Java as a child process that listens on a loopback address; package maven brings the server's jars. A
// test that cannot have them fails and says what to install.
//
// It must not know Flink, nor what the tests do with the server.
//
// Start reading at Start.
package zookeeper
