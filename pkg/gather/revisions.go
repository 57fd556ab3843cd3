package gather

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// revisionsIf lists them where they are asked for.
func (g *Gatherer) revisionsIf(
	ctx context.Context, asked func() bool, of metav1.Object,
) plan.Observed[[]history.Revision] {
	if g.Brief || !asked() {
		return plan.Observed[[]history.Revision]{}
	}
	return g.revisions(ctx, of)
}

// revisions lists the revision history of a resource. What carries its label and is no revision is left out.
func (g *Gatherer) revisions(ctx context.Context, of metav1.Object) plan.Observed[[]history.Revision] {
	list, err := g.Kube.List(ctx, kube.Query{
		Resource: kube.Revisions, Namespace: of.GetNamespace(), Labels: history.Selector(of.GetUID()),
	})
	if err != nil {
		return plan.Unknown[[]history.Revision](oneLine(err))
	}
	found := []history.Revision{}
	for i := range list.Items {
		if r, err := history.Read(&list.Items[i]); err == nil {
			found = append(found, r)
		}
	}
	return plan.Present(found)
}
