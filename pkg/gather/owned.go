package gather

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// ownedKinds are listed by the cluster's labels, owners before what they own. Secrets carry none and are left to the
// garbage collector.
var ownedKinds = []string{kube.KindReplicaSet, kube.KindPod, kube.KindService, kube.KindConfigMap}

// owned lists what goes with a Deployment: what it owns, and the pods of the ReplicaSets that it owns.
func (g *Gatherer) owned(ctx context.Context, jm plan.Observed[*appsv1.Deployment]) plan.Observed[[]plan.OwnedObject] {
	d, ok := jm.Get()
	if !ok {
		return plan.Unknown[[]plan.OwnedObject]("there is no Deployment")
	}
	kinds, labels := ownedKinds, render.ClusterSelector(d.Name)
	if d.Labels[render.LabelType] == render.TypeStandalone {
		kinds, labels = append([]string{kube.KindDeployment}, kinds...), render.StandaloneSelector(d.Name)
	}
	lists := make([]*unstructured.UnstructuredList, len(kinds))
	var group errgroup.Group
	for i, kind := range kinds {
		group.Go(func() (err error) {
			lists[i], err = g.Kube.List(ctx, kube.Query{
				Resource: kube.Owned(kind), Namespace: d.Namespace, Labels: labels,
			})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return plan.Unknown[[]plan.OwnedObject](oneLine(err))
	}
	owners := map[string]bool{string(d.UID): true}
	var all []plan.OwnedObject
	for i, kind := range kinds {
		for _, u := range lists[i].Items {
			if u.GetDeletionTimestamp() == nil && ownedByAny(&u, owners) {
				all = append(all, plan.OwnedObject{Kind: kind, Name: u.GetName(), UID: u.GetUID()})
				owners[string(u.GetUID())] = true
			}
		}
	}
	return plan.Present(all)
}

func ownedByAny(u *unstructured.Unstructured, owners map[string]bool) bool {
	for _, o := range u.GetOwnerReferences() {
		if owners[string(o.UID)] {
			return true
		}
	}
	return false
}
