package handover

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// See reads the FlinkSessionJob of a side. checkpoint is what Flink says of its completed checkpoints, which its status
// does not have.
func See(of plan.Observed[*v1beta1.FlinkSessionJob], checkpoint Answer) Job {
	if of.IsUnknown() {
		return Job{Unread: of.Why()}
	}
	r, there := of.Get()
	if !there {
		return Job{Gone: true, Runs: No, Checkpoint: checkpoint}
	}
	s := r.Status
	j := Job{
		Gone: r.DeletionTimestamp != nil, Wanted: r.Spec.Job.DesiredState() == v1beta1.JobStateRunning,
		Path: s.JobStatus.UpgradeSavepointPath, Checkpoint: checkpoint,
	}
	j.Runs = runs(r, j.Wanted)
	if j.Path == v1beta1.LastStatePlaceholder || s.JobStatus.LastStateUnread ||
		j.Runs == No && s.JobStatus.State != v1beta1.FlinkJobFinished {
		j.Path = ""
	}
	switch failure := s.Retry; {
	case failure == nil || failure.Generation != r.Generation || s.ObservedGeneration != r.Generation:
	case j.Wanted && slices.Contains(refusals, plan.Reason(failure.Reason)):
		j.Failed = failure.Message
	case !j.Wanted && j.Runs != No:
		j.StopFailed = failure.Message
	}
	if j.Wanted && j.Runs == Pending && s.ObservedGeneration == r.Generation &&
		s.JobStatus.State == v1beta1.FlinkJobFailed {
		j.Failed = "the job is FAILED"
	}
	return j
}

// refusals are the failures of a start after which nothing runs of it: Flink answered that main failed.
var refusals = []plan.Reason{plan.ReasonJarRunFailed}

// runs reports whether the job runs. First match wins:
//
//	its spec asks for  the status is of that spec, and nothing is under way  the status says            then
//	-                  no                                                     -                          Pending
//	a job              yes                                                    STABLE, RUNNING            Yes
//	no job             yes                                                    nothing was ever started   No
//	no job             yes                                                    SUSPENDED, the job ended   No
//	-                  yes                                                    otherwise                  Pending
func runs(r *v1beta1.FlinkSessionJob, wanted bool) Answer {
	s := r.Status
	ended := s.ReconciliationStatus.IsBeforeFirstDeployment() ||
		s.LifecycleState == v1beta1.LifecycleSuspended && s.JobStatus.State.IsTerminal()
	switch {
	case s.ObservedGeneration != r.Generation || s.Intent != nil:
		return Pending
	case wanted && s.LifecycleState == v1beta1.LifecycleStable && s.JobStatus.State == v1beta1.FlinkJobRunning:
		return Yes
	case !wanted && ended:
		return No
	}
	return Pending
}
