package apply

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func (c *Executor) triggerSavepoint(ctx context.Context, a plan.TriggerSavepoint) error {
	return c.ask(a.Endpoint, a, func(client *flinkrest.Client) error {
		_, err := client.TriggerSavepoint(ctx, a.JobID, flinkrest.SavepointRequest{
			TargetDirectory: a.Directory, FormatType: savepointFormat(a.Format), TriggerID: a.TriggerID,
		})
		return err
	})
}

func (c *Executor) triggerCheckpoint(ctx context.Context, a plan.TriggerCheckpoint) error {
	return c.ask(a.Endpoint, a, func(client *flinkrest.Client) error {
		_, err := client.TriggerCheckpoint(
			ctx, a.JobID, flinkrest.CheckpointRequest{Type: checkpointType(a.Format), TriggerID: a.TriggerID},
		)
		return err
	})
}

func (c *Executor) disposeSavepoint(ctx context.Context, a plan.DisposeSavepoint) error {
	return c.ask(a.Endpoint, a, func(client *flinkrest.Client) error {
		_, err := client.DisposeSavepoint(ctx, a.Path)
		return err
	})
}

func (c *Executor) deleteSnapshot(ctx context.Context, a plan.DeleteSnapshot) error {
	object := kube.Object{Resource: v1beta1.FlinkStateSnapshotGVR, Namespace: a.Namespace, Name: a.Name}
	err := c.Kube.Delete(ctx, object, a.UID)
	if apierrors.IsConflict(err) { // another one of that name
		return nil
	}
	return err
}

// ask makes one request to Flink. What Flink itself refuses is Invalid: the same request would be refused again.
func (c *Executor) ask(endpoint plan.Endpoint, action plan.Action, request func(*flinkrest.Client) error) error {
	client, err := c.Flink(endpoint)
	if err == nil {
		err = request(client)
	}
	if err != nil && !flinkrest.Unknown(err) {
		return fail.As(fail.Invalid, action.String(), "Refused", err)
	}
	return fail.As(fail.Transient, action.String(), "FlinkUnreachable", err)
}

// savepointFormat and checkpointType leave words that Flink does not know to Flink.
func savepointFormat(f v1beta1.SavepointFormatType) flinkrest.SavepointFormat {
	if f == v1beta1.SavepointFormatUnknown {
		return flinkrest.FormatDefault
	}
	return flinkrest.SavepointFormat(f)
}

func checkpointType(f v1beta1.CheckpointFormatType) flinkrest.CheckpointType {
	if f == v1beta1.CheckpointFormatUnknown {
		return flinkrest.CheckpointDefault
	}
	return flinkrest.CheckpointType(f)
}

// createSnapshot makes a FlinkStateSnapshot, or finds the one that another pass made for the same job.
func (c *Executor) createSnapshot(ctx context.Context, a plan.CreateSnapshot) error {
	object := kube.Object{Resource: v1beta1.FlinkStateSnapshotGVR, Namespace: a.Object.Namespace, Name: a.Object.Name}
	_, err := c.Kube.Create(ctx, object, a.Object)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	there, found, err := c.Kube.Get(ctx, object)
	switch {
	case err != nil:
		return err
	case !found:
		return fail.Conflictf(a.String(), "SnapshotGone", "it was deleted just now")
	case there.GetAnnotations()[v1beta1.AnnotationJobUID] != a.Object.Annotations[v1beta1.AnnotationJobUID]:
		return fail.Invalidf(
			a.String(), "ForeignObject",
			"a FlinkStateSnapshot of that name is there and is another job's; delete or rename it",
		)
	}
	return nil
}

// setLabels patches the round's resource.
func (c *Executor) setLabels(ctx context.Context, r *round, a plan.SetLabels) error {
	updated, err := c.Kube.MergePatch(ctx, r.object, map[string]any{
		"metadata": map[string]any{"uid": string(a.UID), "labels": a.Labels},
	})
	if err != nil {
		return err
	}
	r.resource = updated
	return nil
}
