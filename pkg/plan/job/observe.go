package job

import (
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// ObserveJob brings the status up to what Flink says of the job. It decides nothing.
func (v *Life) ObserveJob() {
	v.observeJob()
	v.observeHAData()
	v.observeOthersStop()
	v.observeCheckpoint()
	v.observeHealth()
	v.observeExceptions()
}

// failureCause is why the job failed, one line: Flink's own word or, when its JobManager is gone without one, where to
// look. It is empty and false while Flink may still tell.
func (v *Life) failureCause() (string, bool) {
	cause, known := v.Seen.Flink.Failure.Get()
	switch {
	case known:
		return cause, true
	case v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing && v.Resource().Status.Error == "":
		return "the job failed, and its JobManager was deleted before the cause could be read; see its logs", true
	}
	return "", false
}

// observeJob takes over the job's state. A job that cannot be asked for keeps its terminal state, and is RECONCILING
// otherwise.
//
//	Flink            job         stored state    new state
//	does not answer  -           terminal        as it was
//	does not answer  -           otherwise       RECONCILING
//	answers          listed      -               as listed
//	answers          another run terminal        as it was
//	answers          not listed  terminal        as it was
//	answers          not listed  otherwise       RECONCILING, "Job Not Found"
func (v *Life) observeJob() {
	if v.Last == nil || v.Last.Spec.Job == nil {
		return
	}
	status := &v.Want.JobStatus
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if status.JobID == "" && len(jobs) == 1 && v.IsApplication() {
		status.JobID = jobs[0].ID // of an operator that did not record it
	}
	job, listed := FindJob(jobs, status.JobID)
	if !answered || !listed {
		if status.State.IsTerminal() {
			if answered || v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing {
				v.loseLastState()
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
	if AnotherRun(*status, job) {
		v.Reran = !job.State.IsTerminal()
		v.distrustHAData()
		v.loseLastState()
		return
	}
	v.Job = &job
	before := *status
	status.JobName, status.StartTime = job.Name, job.StartTime
	v.observeLostProgress(before)
	if job.State != status.State {
		v.tellJobState(status.State, job.State)
		v.SetJobState(job.State)
	}
	v.observeLastState(job, before)
}

// EndedAt is when the job's state was last seen to change; the zero time when that is not recorded.
func (v *Life) EndedAt() metav1.Time {
	millis, err := strconv.ParseInt(v.Want.JobStatus.UpdateTime, 10, 64)
	if err != nil {
		return v.Now()
	}
	return metav1.NewTime(time.UnixMilli(millis))
}

// SetJobState takes over a state, with the time of the change.
func (v *Life) SetJobState(state v1beta1.FlinkJobState) {
	if v.Want.JobStatus.State == state {
		return
	}
	v.Want.JobStatus.State = state
	v.Want.JobStatus.UpdateTime = v.millis()
	if !state.IsTerminal() {
		v.Want.JobStatus.LastStateUnread = false
	}
}

func (v *Life) tellJobState(old, state v1beta1.FlinkJobState) {
	message := fmt.Sprintf("Job status changed to %s", state)
	if old != "" {
		message = fmt.Sprintf("Job status changed from %s to %s", old, state)
	}
	v.Tell(plan.Event{Reason: plan.ReasonJobStatusChanged, Component: plan.ComponentJob, Message: message})
}

// markStable records the spec acted on last as one that runs well.
//
//	cluster      stable once
//	application  the job's tasks run, or it is FINISHED by itself
//	session      Flink answers
func (v *Life) markStable() {
	r := &v.Want.ReconciliationStatus
	if r.State != v1beta1.ReconciliationDeployed || v.Last == nil ||
		v.Want.JobManagerDeploymentStatus != v1beta1.JobManagerReady {
		return
	}
	runs := v.Job != nil && v.Job.Runs()
	if v.Last.Spec.Job == nil || runs || (v.LastRunning() && v.Want.JobStatus.State == v1beta1.FlinkJobFinished) {
		r.LastStableSpec = r.LastReconciledSpec
	}
}
