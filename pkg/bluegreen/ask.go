package bluegreen

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// AskSides reports whether the decision needs the FlinkDeployments.
func AskSides(s Snapshot) bool {
	return s.Resource.DeletionTimestamp == nil && !s.isCanary()
}

// AskLeft is the name of the cluster of which the decision needs what is left; empty when it needs none.
func AskLeft(s Snapshot) string {
	t := s.Resource.Status.Transition
	if t == nil || t.Step != v1beta1.BlueGreenClear || !AskSides(s) || !s.Side(t.Target).IsAbsent() {
		return ""
	}
	return ChildName(s.Resource.Name, t.Target)
}

// AskIngress reports whether the decision needs the Ingress: the spec asks for one, or status speaks of one.
func AskIngress(s Snapshot) bool {
	shown := slices.ContainsFunc(s.Resource.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == summary.IngressReady
	})
	return AskSides(s) && (s.Resource.Spec.Ingress != nil || shown)
}

// FlinkQuery is what to ask Flink about a savepoint.
type FlinkQuery struct {
	// Endpoint is where the JobManager answers.
	Endpoint plan.Endpoint
	// Request is the savepoint that was asked for.
	Request snapshots.Request
}

// AskFlink says what to ask Flink, once the sides were looked at; nil when nothing is.
func AskFlink(s Snapshot) *FlinkQuery {
	t := s.Resource.Status.Transition
	if t == nil || t.Step != v1beta1.BlueGreenSavepoint || t.Source == nil || !AskSides(s) {
		return nil
	}
	active, there := s.Side(t.From).Get()
	if !there || s.Resource.Status.SavepointTriggerID == "" || t.Source.JobID == "" {
		return nil
	}
	c := running.Of(s.Operator, active)
	if c.Endpoint == nil {
		return nil
	}
	return &FlinkQuery{Endpoint: *c.Endpoint, Request: snapshots.Request{
		Type: snapshots.Savepoint, JobID: t.Source.JobID, TriggerID: s.Resource.Status.SavepointTriggerID,
	}}
}
