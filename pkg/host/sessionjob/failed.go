package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// Failed is what follows an effect that failed. left is what was seen, with the resource as the round left it.
func Failed(left session.Snapshot, e failed.Effect) failed.Outcome {
	return failed.Follow(e, failed.Kind{
		Flink: left.Flink,
		Left: func() failed.Left {
			v := Open(left).accepted()
			return failed.Left{
				Look:   v.Look,
				Finish: func(r decision.Result) plan.Plan { return finish(v, r) },
				Form:   func(p plan.Plan) plan.Plan { return leaveForm(v, p) },
			}
		},
		Anew: func(answers world.Flink, why *world.SnapshotsRefused) plan.Plan {
			anew := left
			if anew.Flink = answers; why != nil {
				anew.SnapshotsRefused = why
			}
			return Make(anew)
		},
		Parts: func(status any) (any, failed.Parts) {
			next := status.(*v1beta1.FlinkSessionJobStatus).DeepCopy()
			return next, failed.Parts{
				Job:      &next.JobStatus,
				Recorded: &next.ReconciliationStatus, Conditions: &next.Conditions, Error: &next.Error,
				ClusterInfo: &next.ClusterInfo, Progress: &next.Progress,
			}
		},
		Own: func(answer failed.Answer) (plan.Plan, bool) {
			if answer != failed.Submission {
				return plan.Plan{}, false
			}
			return submissionFailed(left, e), true
		},
	})
}

// submissionFailed shows a jar that could not be brought to Flink, or that Flink did not run. First match wins:
//
//	it failed                                                         then
//	the run, and the answer does not say that nothing was started     the job is looked for, as after no answer
//	the upload, or the run                                            it is tried again, each time after a longer pause
func submissionFailed(left session.Snapshot, e failed.Effect) plan.Plan {
	v := Open(left).accepted()
	r, intent := operation.Decided(v.Look, report.EffectFailed(v.Look, e.Reason, e.Message)), v.Look.Intent()
	if intent == nil {
		return finish(v, r)
	}
	if e.Reason == string(plan.ReasonJarRunUnanswered) {
		r.Stall, r.Wait = nil, plan.Cause{Reason: plan.ReasonJarRunUnanswered, Message: e.Message}
		return finish(v, r)
	}
	v.Look.Want.Retry = backoff.Failed(
		v.Look.Want.Retry,
		intent.Generation,
		v.Look.Now(),
		e.Reason,
		v.Look.Shown(e.Message),
	)
	intent.UploadAt, intent.UploadRequests = nil, 0
	if intent.Release != nil {
		intent.Release.RunAt, intent.Release.RunRequests = nil, 0
	}
	r.Stall, r.Wait = nil, submit.WaitsForAttempt(v.Look.Want.Retry)
	if _, ran := e.Action.(plan.RunJar); ran { // the next attempt has it uploaded anew
		submit.LeaveNoJar(v)
	}
	return finish(v, r)
}
