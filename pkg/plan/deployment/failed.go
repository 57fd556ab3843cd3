package deployment

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// MakeFailed shows, in the status that a round left behind, an effect that failed and that only a person can fix: a
// missing right, an exceeded quota, an object that the API server refuses. The open intent stays open: the sweep comes
// again.
func MakeFailed(s Snapshot, left v1beta1.FlinkDeploymentStatus, reason, message string) plan.Plan {
	resource := s.Resource.DeepCopy()
	resource.Status = *left.DeepCopy()
	s.Resource = resource
	v := newView(s)
	v.accept()
	text := v.ErrorText(status.TypeReconciliation, message, reason)
	if v.Want.Error != text {
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonError, Component: plan.ComponentJobManager, Message: message})
	}
	v.Want.Error = text
	return v.finish(job.Result{
		Situation: triedIn(left), Stall: &plan.Cause{Reason: plan.Reason(reason), Message: message},
	})
}

// Hider leaves the secrets of the resource and of the operator out of texts that no plan is made of.
func Hider(s Snapshot) func(text string) string { return cluster.New(s).Hide }

// MakeTooLarge shows, in the status that a round left behind, that the next one was refused because of its size. less
// is for an API server that refuses that, too: it leaves most conditions out, so that it is smaller than what is
// stored.
func MakeTooLarge(s Snapshot, left v1beta1.FlinkDeploymentStatus) (p, less plan.Plan) {
	resource := s.Resource.DeepCopy()
	resource.Status = *left.DeepCopy()
	s.Resource = resource
	v := newView(s)
	v.accept()
	told := func(c metav1.Condition) bool { return c.Type == summary.Stalled && c.Reason == fail.ReasonTooLarge }
	if !slices.ContainsFunc(left.Conditions, told) {
		v.Tell(plan.Event{
			Warning: true, Reason: fail.ReasonTooLarge, Component: plan.ComponentOperator, Message: statusTooLarge,
		})
	}
	v.Want.Error = v.ErrorText(status.TypeReconciliation, statusTooLarge, fail.ReasonTooLarge)
	p = v.finish(job.Result{
		Situation: triedIn(left), Stall: &plan.Cause{Reason: fail.ReasonTooLarge, Message: statusTooLarge},
	})
	small := v.Want.DeepCopy()
	small.Error, small.Intent = left.Error, left.Intent.DeepCopy()
	small.Conditions = slices.DeleteFunc(small.Conditions, func(c metav1.Condition) bool {
		return slices.Contains(derived, c.Type)
	})
	for i := range small.Conditions {
		if c := &small.Conditions[i]; c.Type == summary.Ready || c.Type == summary.Stalled {
			c.Message = statusTooLargeShort
		}
	}
	less = plan.Plan{Situation: p.Situation}
	if !status.SameMeaning(left, *small) {
		less.Status = small
	}
	return p, less
}

// derived are the conditions that each look derives again from the rest of the status.
var derived = []string{summary.Running, summary.SpecAccepted, summary.ClusterAvailable, summary.JobRunning}

// statusTooLargeShort is for a status that has no room for statusTooLarge.
const statusTooLargeShort = "the status does not fit into etcd: shorten the spec, see the event " + fail.ReasonTooLarge

// statusTooLarge names no sizes: a message that changes would be told again and again.
const statusTooLarge = "the API server refused the status: with it the resource would be larger than etcd takes, 1.5 " +
	"MiB by default." +
	" Status holds the spec twice, so shorten the spec: put files and long texts of job.args, flinkConfiguration," +
	" logConfiguration and podTemplate into ConfigMaps. What needs a larger status waits until then"

// triedIn is the situation in which an effect failed: the one that the round before left, unless nothing is tried in
// that one. Then this round has found another.
func triedIn(left v1beta1.FlinkDeploymentStatus) plan.Situation {
	switch s := plan.Situation(left.Situation); s {
	case plan.StateLost, plan.Unaccounted:
		return plan.Waiting
	default:
		return s
	}
}
