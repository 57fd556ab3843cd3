package subject

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// DeletingFor is how long the resource has been marked for deletion.
func (v *Subject) DeletingFor() time.Duration { return v.Since(*v.Seen.Resource.DeletionTimestamp) }

// TerminatingFor is how long the old cluster has been going away.
func (v *Subject) TerminatingFor() time.Duration {
	jm, present := v.Seen.JobManager.Get()
	switch intent := v.Intent(); {
	case intent != nil && intent.EndedAt != nil:
		return v.Since(*intent.EndedAt)
	case intent != nil:
		return v.Since(intent.StoredAt)
	case v.Seen.Resource.DeletionTimestamp != nil:
		return v.DeletingFor()
	case present && jm.DeletionTimestamp != nil:
		return v.Since(*jm.DeletionTimestamp)
	case v.Want.PaceSince != nil:
		return v.Since(*v.Want.PaceSince)
	}
	return 0
}

// PreparedOnly reports whether a start of this resource prepared the Deployment and never released it.
func (v *Subject) PreparedOnly(jm *appsv1.Deployment) bool {
	return v.Owned(jm) && OwnOperation(jm) != "" && jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0 &&
		jm.Status.Replicas == 0
}

// Retired reports whether a Deployment was taken out of service: it asks for no JobManager, and no release that comes
// late matches it.
func Retired(jm *appsv1.Deployment) bool {
	return jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0 && OwnOperation(jm) == ""
}

// MayMakePods reports whether a retired Deployment may still get pods: its controller has not acted on that yet, or
// not said so.
func MayMakePods(jm *appsv1.Deployment) bool {
	return jm.Status.ObservedGeneration < jm.Generation || jm.Status.Replicas > 0
}

// SessionBlockers lists what runs in a session cluster that is being deleted, as far as the options say that it
// matters.
func (v *Subject) SessionBlockers() []string {
	var reasons []string
	if v.BlocksOnSessionJobs() {
		jobs, ok := v.Seen.SessionJobs.Get()
		switch {
		case v.Seen.SessionJobs.IsUnknown():
			reasons = append(reasons, "its session jobs cannot be listed: "+v.Seen.SessionJobs.Why())
		case ok && len(jobs) > 0:
			reasons = append(reasons, fmt.Sprintf("there are session jobs for it (%s)", strings.Join(jobs, ", ")))
		}
	}
	if v.BlocksOnSessionJobs() && v.BlocksOnUnmanagedJobs() {
		var running []string
		jobs, answered := v.Seen.Flink.Jobs.Get()
		if jm, present := v.Seen.JobManager.Get(); !answered && present && jm.Status.AvailableReplicas > 0 &&
			v.DeletingFor() < v.CleanupTimeout() {
			reasons = append(reasons, "its jobs cannot be listed: "+v.Seen.Flink.Jobs.Why())
		}
		for _, j := range jobs {
			if !j.State.IsTerminal() {
				running = append(running, j.ID)
			}
		}
		if len(running) > 0 {
			reasons = append(reasons, fmt.Sprintf("jobs run in it (%s)", strings.Join(running, ", ")))
		}
	}
	return reasons
}

// RedeploysInstead reports whether a newer spec says what to start from while a stop is open, which is the way out that
// a stop names whose job's state is not known. The old job ID is never used again after it, so nothing that the stop
// had begun can come back.
func (v *Subject) RedeploysInstead(jm *appsv1.Deployment, present bool) bool {
	intent := v.Intent()
	if intent.Step != v1beta1.StepStopping || intent.Purpose == v1beta1.PurposeDelete || (present &&
		jm.DeletionTimestamp != nil) {
		return false
	}
	return v.WantsRunning() && v.AsksRedeploy()
}

// Unasked reports whether the jobs are not known although a JobManager is there to be asked. What was recorded of a job
// that has ended may not be its newest state then: its statistics lag behind.
func (v *Subject) Unasked() bool {
	jm, present := v.Seen.JobManager.Get()
	return present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0 && v.Seen.Flink.Jobs.IsUnknown()
}

// StopOverdue reports whether the open stop with savepoint has taken longer than Flink gives a savepoint, and a minute
// for the end of the tasks.
func (v *Subject) StopOverdue() bool {
	intent := v.Intent()
	open := intent != nil && intent.Step == v1beta1.StepStopping && intent.Stop == v1beta1.StopSavepoint && !intent.Ended
	return open && v.Since(intent.StoredAt) > v.CheckpointTimeout()+time.Minute
}
