package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/shown"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

// MakeFailed shows, in the status that a round left behind, an effect that failed and that only a person can fix: a
// missing right, an exceeded quota, an object that the API server refuses. The open intent stays open: the sweep comes
// again.
func MakeFailed(s Snapshot, left v1beta1.FlinkDeploymentStatus, reason, message string) plan.Plan {
	resource := s.Resource.DeepCopy()
	resource.Status = *left.DeepCopy()
	s.Resource = resource
	v := &view{Subject: subject.New(s)}
	v.Accept()
	text := shown.ErrorText(v.Subject, shown.TypeReconciliation, message, reason)
	if v.Want.Error != text {
		v.Tell(plan.Event{Warning: true, Reason: "Error", Component: plan.ComponentJobManager, Message: message})
	}
	v.Want.Error = text
	return v.finish(result{situation: plan.Situation(left.Situation), stall: &stall{reason, message}})
}

// Hider leaves the secrets of the resource and of the operator out of texts that no plan is made of.
func Hider(s Snapshot) func(text string) string { return subject.New(s).Hide }
