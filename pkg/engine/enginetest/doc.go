// Package enginetest is the one world of the engine's tests: a FlinkDeployment or a FlinkSessionJob whose plans are
// carried out on what was seen, as apply, Kubernetes and Flink would, without any of them. Tests say what becomes of
// the job, and of what it runs on.
//
// Package guesttest has what tests of one package need below it: a look at a job on a host that is always there.
//
// I/O: it is for tests alone, and fails them. Start reading at Deployment and SessionJob.
package enginetest
