package observe

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Job brings the status up to what Flink says of the job. It decides nothing.
func Job(v *world.Look) {
	job(v)
	loss.ObserveData(v)
	givenUpStop(v)
	checkpoint(v)
	jobHealth(v)
	exceptionHistory(v)
}

// job takes over the job's state. A job that cannot be asked for keeps its terminal state, and is RECONCILING
// otherwise.
//
//	Flink            job         stored state    new state
//	does not answer  -           terminal        as it was
//	does not answer  -           otherwise       RECONCILING
//	answers          listed      -               as listed
//	answers          another run terminal        as it was
//	answers          not listed  terminal        as it was
//	answers          not listed  otherwise       RECONCILING, "Job Not Found"
func job(v *world.Look) {
	if v.Last == nil || v.Last.Spec.Job == nil {
		return
	}
	status := &v.Want.JobStatus
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if status.JobID == "" && len(jobs) == 1 && v.IsApplication() {
		status.JobID = jobs[0].ID // of an operator that did not record it
	}
	job, listed := world.FindJob(jobs, status.JobID)
	if !answered || !listed {
		if status.State.IsTerminal() {
			if answered || v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing {
				nobodyKnows(v)
			}
			return
		}
		if answered && status.State == v1beta1.FlinkJobRunning {
			v.Tell(plan.Event{
				Warning: true, Reason: plan.ReasonMissing, Component: plan.ComponentJob, Message: "Job Not Found",
			})
		}
		v.SetJobState(v1beta1.FlinkJobReconciling)
		return
	}
	if world.AnotherRun(*status, job) {
		v.Reran = !job.State.IsTerminal()
		loss.DistrustData(v)
		nobodyKnows(v)
		return
	}
	v.Job = &job
	before := *status
	status.JobName, status.StartTime = job.Name, job.StartTime
	if job.State != status.State {
		tellJobState(v, status.State, job.State)
		v.SetJobState(job.State)
	}
	loss.ObserveRun(v, before) // what was asked a moment ago may be from before the tasks ran
	lastState(v, job, before)
}

// nobodyKnows notes that nobody can ask any more for what a job that has ended was restored from, and ended with.
func nobodyKnows(v *world.Look) {
	loss.GiveUpRun(v, v.Want.JobStatus.StartTime)
	loseLastState(v)
}

func tellJobState(v *world.Look, old, state v1beta1.FlinkJobState) {
	message := fmt.Sprintf("Job status changed to %s", state)
	if old != "" {
		message = fmt.Sprintf("Job status changed from %s to %s", old, state)
	}
	v.Tell(plan.Event{Reason: plan.ReasonJobStatusChanged, Component: plan.ComponentJob, Message: message})
}
