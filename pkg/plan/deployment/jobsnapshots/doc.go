// Package jobsnapshots carries the decisions of package snapshots out on the status of a FlinkDeployment: what is due
// for a steady job, what became of requests that its own status records (kubernetes.operator.snapshot.resource.enabled
// is false), and the savepoint of a stop.
//
// PURE: see package plan. It changes the subject's status and events; the rules of package deployment say when. Start
// reading at Take.
package jobsnapshots
