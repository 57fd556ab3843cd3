package apply

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/render"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// cancel asks Flink to cancel. Where the cluster is deleted next any answer will do; where the job's end is waited for,
// the request must have come through, or the next look asks again. A job that has ended already is as good.
func (c *Executor) cancel(ctx context.Context, a plan.CancelJob) error {
	client, err := c.Flink(a.Endpoint)
	if err == nil {
		err = client.Cancel(ctx, a.JobID)
	}
	if err == nil || !a.Counts || errors.Is(err, flinkrest.ErrTerminal) {
		return nil
	}
	return fail.As(fail.Transient, a.String(), "CancelFailed", err)
}

// stopWithSavepoint asks Flink to stop the job. The trigger ID is ours, so a request that is sent again is the same
// one.
func (c *Executor) stopWithSavepoint(ctx context.Context, a plan.StopWithSavepoint) error {
	client, err := c.Flink(a.Endpoint)
	if err != nil {
		return err
	}
	_, err = client.StopWithSavepoint(ctx, a.JobID, flinkrest.StopRequest{
		TargetDirectory: a.Directory, Drain: a.Drain, FormatType: flinkrest.SavepointFormat(a.Format),
		TriggerID: a.TriggerID,
	})
	if err != nil {
		return fail.As(fail.Transient, a.String(), "StopFailed", err)
	}
	return nil
}

// retire takes a Deployment out of service: no replicas, and no operation, so that a release that comes late finds
// nothing to release. Then it deletes the pods that have not begun.
func (c *Executor) retire(ctx context.Context, a plan.Retire) error {
	_, err := c.Kube.MergePatch(ctx, kube.Object{Resource: kube.Deployments, Namespace: a.Namespace, Name: a.Name},
		map[string]any{
			"metadata": map[string]any{"uid": string(a.UID), "annotations": map[string]any{v1beta1.AnnotationOperation: nil}},
			"spec":     map[string]any{"replicas": 0},
		})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return c.deleteOwned(ctx, a.Namespace, a.Pods)
}

// scaleTaskManagers sets the replicas of the TaskManagers' Deployment. One that is gone, or another one now, is a
// conflict: the next look tells.
func (c *Executor) scaleTaskManagers(ctx context.Context, a plan.ScaleTaskManagers) error {
	_, err := c.Kube.JSONPatch(ctx, kube.Object{Resource: kube.Deployments, Namespace: a.Namespace, Name: a.Name},
		[]kube.PatchOperation{
			{Op: "test", Path: "/metadata/uid", Value: string(a.UID)},
			{Op: "replace", Path: "/spec/replicas", Value: a.Replicas},
		})
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		return fail.As(fail.Conflict, a.String(), "ClusterGone", err)
	}
	return err
}

// podsAtOnce bounds how many pods are deleted at the same time.
const podsAtOnce = 8

// forceDeletePods deletes every pod that it can: one that cannot be deleted keeps no other from it.
func (c *Executor) forceDeletePods(ctx context.Context, a plan.ForceDeletePods) error {
	failures := make([]error, len(a.Pods))
	var group errgroup.Group
	group.SetLimit(podsAtOnce)
	for i, p := range a.Pods {
		group.Go(func() error {
			failures[i] = c.Kube.Delete(
				ctx, kube.Object{Resource: kube.Pods, Namespace: a.Namespace, Name: p.Name}, p.UID, kube.Grace(0),
			)
			return nil
		})
	}
	_ = group.Wait() // failures are collected above
	return errors.Join(failures...)
}

// dropJobGraphs removes the keys that hold what is to run, under the version that was seen. A ConfigMap that changed
// since is a conflict: somebody is still writing.
func (c *Executor) dropJobGraphs(ctx context.Context, a plan.DropJobGraphs) error {
	if a.Nodes != nil {
		return c.removeNodes(ctx, *a.Nodes, a.Nodes.Location.JobGraphs())
	}
	for _, o := range a.ConfigMaps {
		object := kube.Object{Resource: kube.ConfigMaps, Namespace: a.Namespace, Name: o.Name}
		if err := c.dropGraphs(ctx, object, o, a.String(), func(string) bool { return true }); err != nil {
			return err
		}
	}
	return nil
}

// dropGraphs removes the graphs of the jobs that are not wanted from one ConfigMap.
func (c *Executor) dropGraphs(
	ctx context.Context, object kube.Object, seen plan.ObjectVersion, operation string, unwanted func(jobID string) bool,
) error {
	u, found, err := c.Kube.Get(ctx, object)
	if err != nil {
		return err
	}
	if !found || u.GetUID() != seen.UID || u.GetResourceVersion() != seen.ResourceVersion {
		return fail.Conflictf(operation, "Changed", "ConfigMap %s changed since it was seen", seen.Name)
	}
	drop := map[string]any{}
	data, _, _ := unstructured.NestedMap(u.Object, "data")
	for key := range data {
		if id := render.JobOfGraph(key); id != "" && unwanted(id) {
			drop[key] = nil
		}
	}
	if len(drop) == 0 {
		return nil
	}
	patch := map[string]any{"metadata": map[string]any{"resourceVersion": seen.ResourceVersion}, "data": drop}
	_, err = c.Kube.MergePatch(ctx, object, patch)
	return err
}

// forgetJobs removes what names the checkpoints of some jobs, and then their graphs, under the version that was seen: a
// graph says that its job is still to be forgotten, should this end in between.
func (c *Executor) forgetJobs(ctx context.Context, a plan.ForgetJobs) error {
	if a.Nodes != nil {
		below := a.Nodes.Location.Forgets(a.Jobs, a.AllGraphs)
		return c.removeNodes(ctx, *a.Nodes, below)
	}
	forgotten := func(id string) bool { return slices.Contains(a.Jobs, id) }
	unwanted := func(id string) bool { return a.AllGraphs || forgotten(id) }
	for _, o := range a.ConfigMaps {
		if forgotten(render.JobOfHighAvailability(o.Name)) {
			object := kube.Object{Resource: kube.ConfigMaps, Namespace: a.Namespace, Name: o.Name}
			if err := c.Kube.Delete(ctx, object, o.UID, kube.AtVersion(o.ResourceVersion)); err != nil {
				return err
			}
		}
	}
	for _, o := range a.ConfigMaps {
		if render.JobOfHighAvailability(o.Name) == "" {
			object := kube.Object{Resource: kube.ConfigMaps, Namespace: a.Namespace, Name: o.Name}
			if err := c.dropGraphs(ctx, object, o, a.String(), unwanted); err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteHAData deletes one ConfigMap after the other. One that changed since it was seen is a conflict: Flink is still
// writing.
func (c *Executor) deleteHAData(ctx context.Context, a plan.DeleteHAData) error {
	if a.Nodes != nil {
		return c.removeNodes(ctx, *a.Nodes, nil)
	}
	for _, o := range a.ConfigMaps {
		object := kube.Object{Resource: kube.ConfigMaps, Namespace: a.Namespace, Name: o.Name}
		if err := c.Kube.Delete(ctx, object, o.UID, kube.AtVersion(o.ResourceVersion)); err != nil {
			return err
		}
	}
	return nil
}

// removeNodes removes nodes of a cluster in ZooKeeper, under the version that was seen.
func (c *Executor) removeNodes(ctx context.Context, n plan.HANodes, below []string) error {
	return c.ZooKeeper.Remove(ctx, zookeeper.Removal{Location: n.Location, Zxid: n.Zxid, Below: below})
}
