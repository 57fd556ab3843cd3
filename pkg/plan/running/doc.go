// Package running tells, from the status of a FlinkDeployment, with which configuration its cluster was deployed and
// where its JobManager answers. Those who look at a cluster that is not theirs use it: a FlinkStateSnapshot, a
// FlinkBlueGreenDeployment.
//
// PURE: no I/O, no clock. Start reading at Of.
package running
