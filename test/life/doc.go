// Package life is what a job with state goes through, in chapters, for any cluster that runs the operator and real
// Flink: upgrades, failures and rollbacks, with its JobManager and the functions killed on the way. After each the
// job's own counters must say that it went on exactly where it was.
//
// I/O: it changes one FlinkDeployment and asks the API server and Flink. How a pod is killed is its caller's.
//
// It must not know which cluster it is.
//
// Invariants: a chapter begins with a checkpoint that is younger than what the counters said, so a job that begins from
// less has lost something; a kill comes after the change that it is to disturb, and before that change is done.
//
// Start reading at Life.Run; the job is test/cluster/flink/jobs, StateMachineExample.
package life
