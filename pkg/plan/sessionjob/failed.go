package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Hider leaves the secrets of the resource, of its cluster and of the operator out of texts that no plan is made of.
func Hider(s Snapshot) func(text string) string { return newView(s).Hide }

// left is the view of a snapshot with the status that a round left behind.
func left(s Snapshot, status v1beta1.FlinkSessionJobStatus) view {
	r := s.Resource.DeepCopy()
	r.Status = *status.DeepCopy()
	s.Resource = r
	v := newView(s)
	accept(v)
	return v
}

// MakeFailed shows, in the status that a round left behind, an effect that failed. First match wins:
//
//	it failed                                          then
//	the run, and the answer does not say that nothing  the job is looked for, as after no answer
//	was started
//	the upload, or the run                             it is tried again, each time after a longer pause
//	any other: a missing right, an object that the     a person looks
//	API server refuses
func MakeFailed(
	s Snapshot, status v1beta1.FlinkSessionJobStatus, failed plan.Action, reason, message string,
) plan.Plan {
	v := left(s, status)
	r, intent := job.Report(v.Life).EffectFailed(reason, message), v.Intent()
	if !IsSubmission(failed) || intent == nil {
		return finish(v, r)
	}
	if reason == string(plan.ReasonJarRunUnanswered) {
		r.Stall, r.Wait = nil, plan.Cause{Reason: plan.ReasonJarRunUnanswered, Message: message}
		return finish(v, r)
	}
	v.Want.Retry = backoff.Failed(v.Want.Retry, intent.Generation, v.Now(), reason, v.Hide(message))
	intent.UploadAt, intent.UploadRequests = nil, 0
	if intent.Release != nil {
		intent.Release.RunAt, intent.Release.RunRequests = nil, 0
	}
	r.Stall, r.Wait = nil, waitsForAttempt(v.Want.Retry)
	if _, ran := failed.(plan.RunJar); ran { // the next attempt has it uploaded anew
		upload(v).leaveNone()
	}
	return finish(v, r)
}

// MakeRefused shows, in the status that a round left behind, an action that was refused and may be taken later, as for
// a FlinkDeployment.
func MakeRefused(
	s Snapshot, status v1beta1.FlinkSessionJobStatus, failed plan.Action, reason, message string,
) (plan.Plan, bool) {
	v := left(s, status)
	r, counted := job.Refusal(v.Life).Again(failed, reason, message)
	if !counted {
		return plan.Plan{}, false
	}
	return finish(v, r), true
}

// MakeTooLarge shows, in the status that a round left behind, that the next one was refused because of its size. Each
// plan is for an API server that refuses the one before it, too.
func MakeTooLarge(s Snapshot, status v1beta1.FlinkSessionJobStatus, refused any) []plan.Plan {
	v := left(s, status)
	next, _ := refused.(*v1beta1.FlinkSessionJobStatus)
	kept := next != nil && job.LostProgress(v.Life).Keep(next.JobStatus, next.LostProgress, next.Intent)
	p := finish(v, job.Report(v.Life).TooLarge())
	all := []plan.Plan{p, leaveForm(v, job.Report(v.Life).Smaller(p.Situation))}
	if kept {
		all = append(all, MakeTooLarge(s, status, nil)[1])
	}
	return all
}

// MakeLeaner are the plans of a deletion that go on without what it can do without, as for a FlinkDeployment.
func MakeLeaner(s Snapshot, refused plan.Plan, failed plan.Action) []plan.Plan {
	return job.Leaner(newView(s).Resource(), refused, failed, func(status any) (any, job.Dispensable) {
		next := status.(*v1beta1.FlinkSessionJobStatus).DeepCopy()
		return next, job.Dispensable{
			Recorded: &next.ReconciliationStatus, Conditions: &next.Conditions, Error: &next.Error,
			ClusterInfo: &next.ClusterInfo, Progress: &next.Progress,
		}
	})
}

// IsSubmission reports whether an action is one of those that bring a jar to Flink and run it.
func IsSubmission(a plan.Action) bool {
	switch a.(type) {
	case plan.UploadJar, plan.RunJar:
		return true
	}
	return false
}

// RefusedRequest is what a round sees after Flink refused a request for a snapshot: the refusal as the answer. False
// for every other action.
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
	return job.RefusedDisposal(newView(seen).Life, failed, message)
}
