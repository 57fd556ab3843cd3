package subject

import (
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/clusterinfo"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/podfailure"
)

// Observe brings the status up to what was seen of the JobManager and its job. It decides nothing. First match wins:
//
//	#  Deployment     Flink answers  pods          jobManagerDeploymentStatus
//	1  Unknown        -              -             as it was
//	2  Absent         -              -             MISSING
//	3  being deleted  -              -             MISSING
//	4  no replicas    -              -             MISSING
//	5  Present        yes            -             READY
//	6  available      no             -             DEPLOYED_NOT_READY
//	7  not available  no             cannot start  ERROR
//	8  not available  no             otherwise     DEPLOYING
func (v *Subject) Observe() {
	before := v.Want.JobManagerDeploymentStatus
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return
	case !present || jm.DeletionTimestamp != nil || (jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0):
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	case v.Seen.Flink.Jobs.IsPresent():
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerReady
	case jm.Status.AvailableReplicas > 0:
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerDeployedNotReady
	default:
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerDeploying
		if v.PodFailure = v.findPodFailure(jm); v.PodFailure != nil && v.PodFailure.Fatal {
			v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerError
		}
	}
	if v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing && before != v1beta1.JobManagerMissing &&
		before != "" {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonMissing, Component: plan.ComponentJobManager, Message: missingJobManager,
		})
	}
	v.observeJob()
	v.observeOthersStop()
	v.observeCheckpoint()
	v.observeInfo()
	v.observeHealth()
	v.observeExceptions()
}

// findPodFailure says why a JobManager is not available, in the words of status where it tells the same problem.
func (v *Subject) findPodFailure(jm *appsv1.Deployment) *podfailure.Failure {
	seen := podfailure.Seen{Deployment: jm}
	seen.Pods, _ = v.Seen.Pods.Get()
	seen.MountFailures, _ = v.Seen.MountFailures.Get()
	seen.LastWords, _ = v.Seen.LastWords.Get()
	b, told := podfailure.Find(seen), v.Resource().Status
	if b == nil {
		return nil
	}
	for _, c := range told.Conditions {
		if c.Type == summary.ClusterAvailable {
			return b.Kept(c.Reason, c.Message)
		}
	}
	return b
}

// FailureCause is why the job failed, one line: Flink's own word or, when its JobManager is gone without one, where to
// look. It is empty and false while Flink may still tell.
func (v *Subject) FailureCause() (string, bool) {
	cause, known := v.Seen.Flink.Failure.Get()
	switch {
	case known:
		return cause, true
	case v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing && v.Resource().Status.Error == "":
		return "the job failed, and its JobManager was deleted before the cause could be read; see its logs", true
	}
	return "", false
}

const missingJobManager = "Missing JobManager deployment"

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
func (v *Subject) observeJob() {
	if v.Last == nil || v.Last.Spec.Job == nil {
		return
	}
	status := &v.Want.JobStatus
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if status.JobID == "" && len(jobs) == 1 {
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
func (v *Subject) EndedAt() metav1.Time {
	millis, err := strconv.ParseInt(v.Want.JobStatus.UpdateTime, 10, 64)
	if err != nil {
		return v.Now()
	}
	return metav1.NewTime(time.UnixMilli(millis))
}

// SetJobState takes over a state, with the time of the change.
func (v *Subject) SetJobState(state v1beta1.FlinkJobState) {
	if v.Want.JobStatus.State == state {
		return
	}
	v.Want.JobStatus.State = state
	v.Want.JobStatus.UpdateTime = v.millis()
	if !state.IsTerminal() {
		v.Want.JobStatus.LastStateUnread = false
	}
}

func (v *Subject) tellJobState(old, state v1beta1.FlinkJobState) {
	message := fmt.Sprintf("Job status changed to %s", state)
	if old != "" {
		message = fmt.Sprintf("Job status changed from %s to %s", old, state)
	}
	v.Tell(plan.Event{Reason: plan.ReasonJobStatusChanged, Component: plan.ComponentJob, Message: message})
}

// observeInfo keeps the cluster's figures.
func (v *Subject) observeInfo() {
	facts, ok := v.Seen.Flink.Facts.Get()
	if !ok {
		return
	}
	v.Want.ClusterInfo = clusterinfo.With(v.Want.ClusterInfo, facts, v.config())
}

// MarkStable records the spec acted on last as one that runs well.
//
//	cluster      stable once
//	application  the job's tasks run, or it is FINISHED by itself
//	session      Flink answers
func (v *Subject) MarkStable() {
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
