package deployment

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// view is one FlinkDeployment for the rules: they read it, and write only what becomes the status and the events.
type view struct {
	*cluster.Cluster
	// ingress is the condition IngressReady as this round leaves it; nil means none.
	ingress *metav1.Condition
	// ingressAction brings the Ingress to what runs; nil when it is so, or not to be touched.
	ingressAction plan.Action
}

// accept decides which spec counts.
func (v *view) accept() {
	r := v.Seen.Resource
	in := validation.DeploymentInput{
		Namespace: r.Namespace, Name: r.Name, Labels: r.Labels, Spec: r.Spec, Status: r.Status, Operator: v.Seen.Operator,
	}
	if v.Look.Last != nil {
		in.Last = &v.Look.Last.Spec
	}
	in.New = v.Look.Seen.NeedsJudging() && (in.Last == nil || v.Look.Changed().Kind.Effective())
	v.Look.Accept(validation.Deployment(in))
}
