package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Failed is what follows an effect that failed. seen is the snapshot with the resource as the round left it.
func Failed(seen cluster.Snapshot, e failed.Effect) failed.Outcome {
	status := seen.Resource.Status
	return failed.Follow(e, failed.Kind{
		Flink: seen.Flink,
		Left: func() (*world.Look, func(decision.Result) plan.Plan) {
			v := left(seen, status)
			return v.Look, v.finish
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
			switch answer {
			case failed.Ingress:
				return makeIngressFailed(seen, status, e.Reason, e.Message), true
			case failed.Objected:
				return makeRehearsed(seen, e.Action, e.Kind == fail.Invalid, e.Message), true
			case failed.BackOrShown:
				if p, back := makeGoneBack(seen, e.Message); back {
					return p, true
				}
			}
			return makeFailed(seen, status, e.Reason, e.Message), false
		},
	})
}

// left is the view of a snapshot with the status that a round left behind.
func left(s cluster.Snapshot, status v1beta1.FlinkDeploymentStatus) *view {
	resource := s.Resource.DeepCopy()
	resource.Status = *status.DeepCopy()
	s.Resource = resource
	v := newView(s)
	v.accept()
	return v
}

// makeFailed shows, in the status that a round left behind, an effect that failed and that only a person can fix: a
// missing right, an exceeded quota, an object that the API server refuses. The open intent stays open: the sweep comes
// again.
func makeFailed(s cluster.Snapshot, status v1beta1.FlinkDeploymentStatus, reason, message string) plan.Plan {
	v := left(s, status)
	return v.finish(operation.Decided(v.Look, report.EffectFailed(v.Look, reason, message)))
}

// makeRehearsed decides anew after the API server refused what a spec asks for, before anything was stopped for it, or
// could not judge it. left is the snapshot with the resource as the round before left it.
func makeRehearsed(left cluster.Snapshot, effect plan.Action, refused bool, message string) plan.Plan {
	left.Refused = failed.Rehearsed(cluster.New(left).Look, effect, refused, message)
	return Make(left)
}

// makeGoneBack takes an upgrade back whose objects were refused when they were created. False where it stays as it is.
func makeGoneBack(seen cluster.Snapshot, message string) (plan.Plan, bool) {
	v := left(seen, seen.Resource.Status)
	r, back := operation.GoBack(v.Look, message)
	if !back {
		return plan.Plan{}, false
	}
	return v.finish(r), true
}

// Hider leaves the secrets of the resource and of the operator out of texts that no plan is made of.
func Hider(s cluster.Snapshot) func(text string) string { return cluster.New(s).Look.Hide }

// makeTooLarge shows, in the status that a round left behind, that the next one was refused because of its size. Each
// plan is for an API server that refuses the one before it, too.
func makeTooLarge(s cluster.Snapshot, status v1beta1.FlinkDeploymentStatus, refused any) []plan.Plan {
	v := left(s, status)
	next, _ := refused.(*v1beta1.FlinkDeploymentStatus)
	kept := next != nil && loss.KeepFromRefused(v.Look, next.JobStatus, next.LostProgress, next.Intent)
	p := v.finish(operation.Decided(v.Look, failed.TooLarge(v.Look)))
	all := []plan.Plan{p, failed.Smaller(v.Look, p.Situation)}
	if kept {
		all = append(all, makeTooLarge(s, status, nil)[1])
	}
	return all
}

// makeLeaner are the plans of a deletion that go on without what it can do without, after its status was refused
// because of its size. Each is for an API server that refuses the one before it, too; none for what is no deletion.
func makeLeaner(s cluster.Snapshot, refused plan.Plan, effect plan.Action) []plan.Plan {
	return failed.Leaner(s.Resource, refused, effect, func(status any) (any, failed.Dispensable) {
		next := status.(*v1beta1.FlinkDeploymentStatus).DeepCopy()
		return next, failed.Dispensable{
			Recorded: &next.ReconciliationStatus, Conditions: &next.Conditions, Error: &next.Error,
			ClusterInfo: &next.ClusterInfo, TaskManager: &next.TaskManager, Progress: &next.Progress,
		}
	})
}
