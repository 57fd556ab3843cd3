package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// left is the view of a snapshot with the status that a round left behind.
func left(s Snapshot, status v1beta1.FlinkDeploymentStatus) *view {
	resource := s.Resource.DeepCopy()
	resource.Status = *status.DeepCopy()
	s.Resource = resource
	v := newView(s)
	v.accept()
	return v
}

// MakeFailed shows, in the status that a round left behind, an effect that failed and that only a person can fix: a
// missing right, an exceeded quota, an object that the API server refuses. The open intent stays open: the sweep comes
// again.
func MakeFailed(s Snapshot, status v1beta1.FlinkDeploymentStatus, reason, message string) plan.Plan {
	v := left(s, status)
	return v.finish(job.Report(v.Life).EffectFailed(reason, message))
}

// MakeRefused shows, in the status that a round left behind, an action that was refused and may be taken later. False
// where the next look tries it, and nothing is shown.
func MakeRefused(
	s Snapshot, status v1beta1.FlinkDeploymentStatus, failed plan.Action, reason, message string,
) (plan.Plan, bool) {
	v := left(s, status)
	r, counted := job.Refusal(v.Life).Again(failed, reason, message)
	if !counted {
		return plan.Plan{}, false
	}
	return v.finish(r), true
}

// Hider leaves the secrets of the resource and of the operator out of texts that no plan is made of.
func Hider(s Snapshot) func(text string) string { return cluster.New(s).Hide }

// MakeTooLarge shows, in the status that a round left behind, that the next one was refused because of its size. Each
// plan is for an API server that refuses the one before it, too.
func MakeTooLarge(s Snapshot, status v1beta1.FlinkDeploymentStatus, refused any) []plan.Plan {
	v := left(s, status)
	next, _ := refused.(*v1beta1.FlinkDeploymentStatus)
	kept := next != nil && job.LostProgress(v.Life).Keep(next.JobStatus, next.LostProgress, next.Intent)
	p := v.finish(job.Report(v.Life).TooLarge())
	all := []plan.Plan{p, job.Report(v.Life).Smaller(p.Situation)}
	if kept {
		all = append(all, MakeTooLarge(s, status, nil)[1])
	}
	return all
}

// MakeLeaner are the plans of a deletion that go on without what it can do without, after its status was refused
// because of its size. Each is for an API server that refuses the one before it, too; none for what is no deletion.
func MakeLeaner(s Snapshot, refused plan.Plan, failed plan.Action) []plan.Plan {
	return job.Leaner(s.Resource, refused, failed, func(status any) (any, job.Dispensable) {
		next := status.(*v1beta1.FlinkDeploymentStatus).DeepCopy()
		return next, job.Dispensable{
			Recorded: &next.ReconciliationStatus, Conditions: &next.Conditions, Error: &next.Error,
			ClusterInfo: &next.ClusterInfo, TaskManager: &next.TaskManager, Progress: &next.Progress,
		}
	})
}

// RefusedRequest is what a round sees after Flink refused a request for a snapshot: the refusal as the answer. left is
// the snapshot with the resource as the round before left it. False for every other action.
func RefusedRequest(left Snapshot, failed plan.Action, message string) (Snapshot, bool) {
	mine := job.RefusedRequest(&left.Flink, failed, message)
	return left, mine
}

// RefusedRescale is what a round sees after Flink refused to rescale a job in place: none of its jobs can be. False for
// every other action.
func RefusedRescale(left Snapshot, failed plan.Action) (Snapshot, bool) {
	mine := job.RefusedRescale(&left.Flink, failed)
	return left, mine
}

// RefusedDisposal tells that Flink refused to dispose of a savepoint of the history. False for every other action.
func RefusedDisposal(seen Snapshot, failed plan.Action, message string) (plan.Plan, bool) {
	return job.RefusedDisposal(cluster.New(seen).Life, failed, message)
}
