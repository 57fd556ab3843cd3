package gather

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/unsupported"
)

// Unsupported looks at a resource of a kind that is not run yet. Of one that is being deleted it reads the
// FlinkDeployment that runs its job, and then asks that one's JobManager for the job.
func (g *Gatherer) Unsupported(ctx context.Context, resource *unstructured.Unstructured) unsupported.Snapshot {
	s := unsupported.Snapshot{Now: g.Now(), Operator: g.Operator, Resource: resource}
	if cluster := unsupported.AskCluster(s); cluster != "" {
		u, found, err := g.Kube.Get(ctx, kube.Object{
			Resource: v1beta1.FlinkDeploymentGVR, Namespace: resource.GetNamespace(), Name: cluster,
		})
		s.Cluster = observe(u, found, err, func(u *unstructured.Unstructured) (*v1beta1.FlinkDeployment, error) {
			d, _, err := v1beta1.DecodeDeployment(u.Object)
			return &d, err
		})
	}
	id, at, wanted := unsupported.AskJob(s)
	if !wanted {
		return s
	}
	client, err := g.Flink(at)
	if err != nil {
		s.Job = plan.Unknown[v1beta1.FlinkJobState](oneLine(err))
		return s
	}
	jobs, err := client.Jobs(ctx)
	if err != nil {
		s.Job = plan.Unknown[v1beta1.FlinkJobState](oneLine(err))
		return s
	}
	s.Job = plan.Absent[v1beta1.FlinkJobState]()
	for _, j := range jobs {
		if j.ID == id {
			s.Job = plan.Present(v1beta1.FlinkJobState(j.State))
		}
	}
	return s
}
