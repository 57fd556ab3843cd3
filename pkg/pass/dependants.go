package pass

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// wakeDependants asks for passes of what depends on a job that a round moved. They are looked up after the round's
// writes: one that was made meanwhile is asked, too.
func (r *Runner) wakeDependants(
	ctx context.Context, inquiry *deployment.Inquiry, left *unstructured.Unstructured, p plan.Plan,
) {
	resource := inquiry.Seen.Resource
	if inquiry.MovesCluster(p) {
		r.Apply.Events.Wake(ctx, left, r.Gather.SessionJobs(ctx, resource.Namespace, resource.Name))
		r.Apply.Events.Wake(ctx, left, bluegreen.ParentOf(resource.OwnerReferences))
	}
	if !inquiry.MovesJob(p) {
		return
	}
	r.Apply.Events.Wake(ctx, left, bluegreen.ParentOf(resource.OwnerReferences))
	job := v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: resource.Name}
	there := r.Gather.Snapshots(ctx, resource.Namespace, job)
	r.Apply.Events.Wake(ctx, left, inquiry.Dependants(there))
}
