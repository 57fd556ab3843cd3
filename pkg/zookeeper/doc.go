// Package zookeeper reads and removes what Flink's high availability keeps of a cluster in ZooKeeper.
//
// I/O: it talks to the servers that a znode.Location names. It must not decide whether something may go, wait for a
// change, or log.
//
// Invariants: a session lives as long as one call, and no goroutine outlives it; every call ends with its context; what
// is read is at least as new as everything that was written before the call (sync); nothing is removed that changed
// since it was seen, or while a process has its session open; errors name servers and path, never a credential.
//
// TLS and Kerberos are not spoken; docs/adr says why.
//
// Start reading at Client.
package zookeeper
