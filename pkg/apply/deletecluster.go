package apply

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// deleteCluster deletes the JobManager Deployment of a cluster, and then what goes with it.
func (c *Executor) deleteCluster(ctx context.Context, r *round, a plan.DeleteCluster) error {
	if a.WhileOpen != "" {
		if err := c.notReleased(ctx, r, a.WhileOpen); err != nil {
			return err
		}
	}
	object := kube.Object{Resource: kube.Deployments, Namespace: a.Namespace, Name: a.Name}
	propagation := metav1.DeletePropagationBackground // who deletes waits for the pods' processes, not for their objects
	if a.Orphan {
		propagation = metav1.DeletePropagationOrphan
	}
	options := []func(*metav1.DeleteOptions){kube.Propagation(propagation)}
	if a.ResourceVersion != "" {
		options = append(options, kube.AtVersion(a.ResourceVersion))
	}
	if err := c.Kube.Delete(ctx, object, a.UID, options...); err != nil || a.Orphan {
		return err
	}
	return c.deleteOwned(ctx, a.Namespace, a.Owned)
}

// waves is the order in which the objects of a cluster go, those of a wave at the same time.
//
//	Deployments   a standalone cluster's TaskManagers
//	ReplicaSets   so that nobody makes new pods
//	ConfigMaps    meanwhile the controller of ReplicaSets hears of it: it would replace a pod that ends before, and that
//	              one would be waited for
//	the rest
var waves = [][]string{
	{kube.KindDeployment}, {kube.KindReplicaSet}, {kube.KindConfigMap},
	{kube.KindPod, kube.KindService, kube.KindSecret},
}

// deleteOwned deletes what goes with a Deployment that was deleted. An object that has been replaced by another of its
// name is left alone.
func (c *Executor) deleteOwned(ctx context.Context, namespace string, objects []plan.OwnedObject) error {
	for _, kinds := range waves {
		var group errgroup.Group
		for _, o := range objects {
			if slices.Contains(kinds, o.Kind) {
				group.Go(func() error { return c.deleteOne(ctx, namespace, o) })
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Executor) deleteOne(ctx context.Context, namespace string, o plan.OwnedObject) error {
	err := c.Kube.Delete(ctx, kube.Object{Resource: kube.Owned(o.Kind), Namespace: namespace, Name: o.Name}, o.UID,
		kube.Propagation(metav1.DeletePropagationBackground))
	if apierrors.IsConflict(err) {
		return nil
	}
	return err
}
