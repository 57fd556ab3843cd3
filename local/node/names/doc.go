// Package names says which addresses a Kubernetes service name leads to, on a platform that has no DNS and no service
// proxy.
//
// PURE: it turns Services and Pods into a table.
//
// A name leads to the pods' own addresses, for a Service with a ClusterIP, too: port and targetPort have to be the
// same, as they are with Flink.
//
// It must not know who reads the table, or how.
//
// Invariants: a name is there only if a pod answers to it, as with a real cluster's DNS for headless services; equal
// input gives equal text.
//
// Start reading at Make.
package names
