package pass

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// wakeDependants asks for passes of what depends on a job that a round moved. They are looked up after the round's
// writes: one that was made meanwhile is asked, too.
func (r *Runner) wakeDependants(
	ctx context.Context, s cluster.Snapshot, left *unstructured.Unstructured, p plan.Plan,
) {
	if deployment.MovesCluster(s, p) {
		r.Apply.Events.Wake(ctx, left, r.Gather.SessionJobs(ctx, s.Resource.Namespace, s.Resource.Name))
	}
	if !deployment.MovesJob(s, p) {
		return
	}
	r.Apply.Events.Wake(ctx, left, bluegreen.ParentOf(s.Resource))
	job := v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: s.Resource.Name}
	s.Snapshots = r.Gather.Snapshots(ctx, s.Resource.Namespace, job)
	r.Apply.Events.Wake(ctx, left, deployment.Dependants(s))
}
