// Package session is the host of the job of a FlinkSessionJob: a session cluster, which runs many. It answers what the
// engine asks of a host, and decides nothing about the job.
//
// PURE: see package plan. The resource in the form of a FlinkDeployment, and back, is in form.go; the facts are in
// host.go. What a start and an end do is beside it: submit and cancel. Start reading at Job.
package session
