package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// Hider leaves the secrets of the resource, of its cluster and of the operator out of texts that no plan is made of.
func Hider(s session.Snapshot) func(text string) string { return newView(s).Look.Hide }

// Failed is what follows an effect that failed. seen is the snapshot with the resource as the round left it.
func Failed(seen session.Snapshot, e failed.Effect) failed.Outcome {
	status := seen.Resource.Status
	return failed.Follow(e, failed.Kind{
		Flink: seen.Flink,
		Left: func() (*world.Look, func(decision.Result) plan.Plan) {
			v := left(seen, status)
			return v.Look, func(r decision.Result) plan.Plan { return finish(v, r) }
		},
		Anew: func(answers world.Flink, why *world.SnapshotsRefused) plan.Plan {
			anew := seen
			if anew.Flink = answers; why != nil {
				anew.SnapshotsRefused = why
			}
			return Make(anew)
		},
		TooLarge: func() []plan.Plan { return makeTooLarge(seen, status, e.Plan.StatusIn(e.Action)) },
		Leaner:   func() []plan.Plan { return makeLeaner(seen, e.Plan, e.Action) },
		Other: func(answer failed.Answer) (plan.Plan, bool) {
			return makeFailed(seen, status, e.Action, e.Reason, e.Message), answer == failed.Submission
		},
	})
}

// left is the view of a snapshot with the status that a round left behind.
func left(s session.Snapshot, status v1beta1.FlinkSessionJobStatus) *session.Job {
	r := s.Resource.DeepCopy()
	r.Status = *status.DeepCopy()
	s.Resource = r
	v := newView(s)
	accept(v)
	return v
}

// makeFailed shows, in the status that a round left behind, an effect that failed. First match wins:
//
//	it failed                                          then
//	the run, and the answer does not say that nothing  the job is looked for, as after no answer
//	was started
//	the upload, or the run                             it is tried again, each time after a longer pause
//	any other: a missing right, an object that the     a person looks
//	API server refuses
func makeFailed(
	s session.Snapshot, status v1beta1.FlinkSessionJobStatus, effect plan.Action, reason, message string,
) plan.Plan {
	v := left(s, status)
	r, intent := operation.Decided(v.Look, report.EffectFailed(v.Look, reason, message)), v.Look.Intent()
	if !IsSubmission(effect) || intent == nil {
		return finish(v, r)
	}
	if reason == string(plan.ReasonJarRunUnanswered) {
		r.Stall, r.Wait = nil, plan.Cause{Reason: plan.ReasonJarRunUnanswered, Message: message}
		return finish(v, r)
	}
	v.Look.Want.Retry = backoff.Failed(
		v.Look.Want.Retry,
		intent.Generation,
		v.Look.Now(),
		reason,
		v.Look.Shown(message),
	)
	intent.UploadAt, intent.UploadRequests = nil, 0
	if intent.Release != nil {
		intent.Release.RunAt, intent.Release.RunRequests = nil, 0
	}
	r.Stall, r.Wait = nil, submit.WaitsForAttempt(v.Look.Want.Retry)
	if _, ran := effect.(plan.RunJar); ran { // the next attempt has it uploaded anew
		submit.LeaveNoJar(v)
	}
	return finish(v, r)
}

// makeTooLarge shows, in the status that a round left behind, that the next one was refused because of its size. Each
// plan is for an API server that refuses the one before it, too.
func makeTooLarge(s session.Snapshot, status v1beta1.FlinkSessionJobStatus, refused any) []plan.Plan {
	v := left(s, status)
	next, _ := refused.(*v1beta1.FlinkSessionJobStatus)
	kept := next != nil && loss.KeepFromRefused(v.Look, next.JobStatus, next.LostProgress, next.Intent)
	p := finish(v, operation.Decided(v.Look, failed.TooLarge(v.Look)))
	all := []plan.Plan{p, leaveForm(v, failed.Smaller(v.Look, p.Situation))}
	if kept {
		all = append(all, makeTooLarge(s, status, nil)[1])
	}
	return all
}

// makeLeaner are the plans of a deletion that go on without what it can do without, as for a FlinkDeployment.
func makeLeaner(s session.Snapshot, refused plan.Plan, effect plan.Action) []plan.Plan {
	return failed.Leaner(newView(s).Look.Resource(), refused, effect, func(status any) (any, failed.Dispensable) {
		next := status.(*v1beta1.FlinkSessionJobStatus).DeepCopy()
		return next, failed.Dispensable{
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
