package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Failed is what follows an effect that failed. left is what was seen, with the resource as the round left it.
func Failed(left cluster.Snapshot, e failed.Effect) failed.Outcome {
	return failed.Follow(e, failed.Kind{
		Flink: left.Flink,
		Left: func() failed.Left {
			v := Open(left).accepted()
			return failed.Left{Look: v.Look, Finish: v.finish, Form: func(p plan.Plan) plan.Plan { return p }}
		},
		Anew: func(answers world.Flink, why *world.SnapshotsRefused) plan.Plan {
			anew := left
			if anew.Flink = answers; why != nil {
				anew.SnapshotsRefused = why
			}
			return Make(anew)
		},
		Parts: func(status any) (any, failed.Parts) {
			next := status.(*v1beta1.FlinkDeploymentStatus).DeepCopy()
			return next, failed.Parts{
				Job:      &next.JobStatus,
				Recorded: &next.ReconciliationStatus, Conditions: &next.Conditions, Error: &next.Error,
				ClusterInfo: &next.ClusterInfo, TaskManager: &next.TaskManager, Progress: &next.Progress,
			}
		},
		Own: func(answer failed.Answer) (plan.Plan, bool) {
			switch answer {
			case failed.Ingress:
				return ingressFailed(left, e.Reason, e.Message), true
			case failed.Objected:
				return rehearsed(left, e.Action, e.Kind == fail.Invalid, e.Message), true
			case failed.BackOrShown:
				return goneBack(left, e.Message)
			}
			return plan.Plan{}, false
		},
	})
}

// rehearsed decides anew after the API server refused what a spec asks for, before anything was stopped for it, or
// could not judge it.
func rehearsed(left cluster.Snapshot, effect plan.Action, refused bool, message string) plan.Plan {
	left.Refused = failed.Rehearsed(Open(left).view.Look, effect, refused, message)
	return Make(left)
}

// goneBack takes an upgrade back whose objects were refused when they were created. False where it stays as it is.
func goneBack(left cluster.Snapshot, message string) (plan.Plan, bool) {
	v := Open(left).accepted()
	r, back := operation.GoBack(v.Look, message)
	if !back {
		return plan.Plan{}, false
	}
	return v.finish(r), true
}
