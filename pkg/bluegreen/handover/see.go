package handover

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// See reads the FlinkSessionJob of a side. checkpoint is what Flink says of its completed checkpoints, which its status
// does not have.
func See(of plan.Observed[*v1beta1.FlinkSessionJob], checkpoint Answer) Job {
	return seen(of, checkpoint, func(r *v1beta1.FlinkSessionJob) subject {
		s := &r.Status
		return subject{
			&r.ObjectMeta, r.Spec.Job, &s.JobStatus, &s.ReconciliationStatus, &s.Progress, s.ObservedGeneration,
			s.LifecycleState,
		}
	})
}

// SeeApplication reads a side that is an application still: one that served before its pair handed over. It is stopped
// and run like the other kind, and a way back to it is the start of a cluster.
func SeeApplication(of plan.Observed[*v1beta1.FlinkDeployment], checkpoint Answer) Job {
	return seen(of, checkpoint, func(r *v1beta1.FlinkDeployment) subject {
		s := &r.Status
		return subject{
			&r.ObjectMeta, r.Spec.Job, &s.JobStatus, &s.ReconciliationStatus, &s.Progress, s.ObservedGeneration,
			s.LifecycleState,
		}
	})
}

// subject is what both kinds have.
type subject struct {
	*metav1.ObjectMeta
	spec      *v1beta1.JobSpec
	job       *v1beta1.JobStatus
	record    *v1beta1.ReconciliationStatus
	progress  *v1beta1.Progress
	observed  int64
	lifecycle v1beta1.LifecycleState
}

func seen[R any](of plan.Observed[R], checkpoint Answer, read func(R) subject) Job {
	if of.IsUnknown() {
		return Job{Unread: of.Why()}
	}
	r, there := of.Get()
	if !there {
		return Job{Gone: true, Runs: No, Checkpoint: checkpoint}
	}
	s := read(r)
	j := Job{
		Gone: s.DeletionTimestamp != nil, Wanted: s.spec.DesiredState() == v1beta1.JobStateRunning,
		Path: s.job.UpgradeSavepointPath, Checkpoint: checkpoint,
	}
	j.Runs = runs(s, j.Wanted)
	if j.Path == v1beta1.LastStatePlaceholder || s.job.LastStateUnread ||
		j.Runs == No && s.job.State != v1beta1.FlinkJobFinished {
		j.Path = ""
	}
	switch failure := s.progress.Retry; {
	case failure == nil || failure.Generation != s.Generation || s.observed != s.Generation:
	case j.Wanted && slices.Contains(refusals, plan.Reason(failure.Reason)):
		j.Failed = failure.Message
	case !j.Wanted && j.Runs != No:
		j.StopFailed = failure.Message
	}
	if j.Wanted && j.Runs == Pending && s.observed == s.Generation && s.job.State == v1beta1.FlinkJobFailed {
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
func runs(s subject, wanted bool) Answer {
	ended := s.record.IsBeforeFirstDeployment() ||
		s.lifecycle == v1beta1.LifecycleSuspended && s.job.State.IsTerminal()
	switch {
	case s.observed != s.Generation || s.progress.Intent != nil:
		return Pending
	case wanted && s.lifecycle == v1beta1.LifecycleStable && s.job.State == v1beta1.FlinkJobRunning:
		return Yes
	case !wanted && ended:
		return No
	}
	return Pending
}
