// Package chaos is what random runs and the retention matrix over real Flink are made of, but for the cluster: the
// commands, the spec that they change, and the judge, who knows the job's own ledger and what status said.
//
// I/O: none; random numbers come from a seed.
//
// It must not know how a pod is killed or a status is read: test/live/chaos carries the commands out.
//
// Invariants: any list of commands is a script, and what a command cannot do just now it leaves out; the same seed
// and number draw the same script; the same ledger and statuses are judged in the same way.
//
// Start reading at Draw and at Judge.
package chaos
