package apply

import (
	"context"
	"reflect"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// carry carries out the actions of one type.
type carry func(c *Executor, ctx context.Context, r *round, action plan.Action) error

// executors are how the actions are carried out, by their types. A test finds what is missing.
var executors = byType(
	alone((*Executor).wake), inRound((*Executor).record), inRound((*Executor).addFinalizer),
	inRound((*Executor).removeFinalizer),
	// starts
	alone((*Executor).rehearse), inRound((*Executor).prepare), alone((*Executor).release),
	inRound((*Executor).makeTaskManagers), alone((*Executor).scaleTaskManagers), alone((*Executor).applyIngress),
	alone((*Executor).deleteIngress), alone((*Executor).rescale), inRound((*Executor).keepAutoscaled),
	// stops
	alone((*Executor).cancel), alone((*Executor).stopWithSavepoint), alone((*Executor).retire),
	inRound((*Executor).deleteCluster), alone((*Executor).deleteLeftovers), alone((*Executor).forceDeletePods),
	alone((*Executor).dropJobGraphs), alone((*Executor).forgetJobs), alone((*Executor).deleteHAData),
	// snapshots
	alone((*Executor).triggerSavepoint), alone((*Executor).triggerCheckpoint), alone((*Executor).disposeSavepoint),
	alone((*Executor).createSnapshot), alone((*Executor).deleteSnapshot), inRound((*Executor).setLabels),
	// sides of blue/green deployments
	alone((*Executor).createSide), alone((*Executor).replaceSide), alone((*Executor).suspendSide),
	alone((*Executor).deleteSide), alone((*Executor).labelSide), alone((*Executor).switchSide),
	alone((*Executor).planJar), alone((*Executor).warmUp), alone((*Executor).coolDown),
	// jars
	inRound((*Executor).requestUpload), inRound((*Executor).uploadJar), alone((*Executor).runJar),
	alone((*Executor).deleteJar),
)

// executor is how the actions of a type are carried out.
type executor struct {
	of    reflect.Type
	carry carry
}

// alone needs the action alone.
func alone[A plan.Action](do func(*Executor, context.Context, A) error) executor {
	return inRound(func(c *Executor, ctx context.Context, _ *round, action A) error { return do(c, ctx, action) })
}

// inRound needs the round, too.
func inRound[A plan.Action](do func(*Executor, context.Context, *round, A) error) executor {
	return executor{reflect.TypeFor[A](), func(c *Executor, ctx context.Context, r *round, action plan.Action) error {
		return do(c, ctx, r, action.(A))
	}}
}

func byType(all ...executor) map[reflect.Type]carry {
	found := map[reflect.Type]carry{}
	for _, e := range all {
		found[e.of] = e.carry
	}
	return found
}

func (c *Executor) record(ctx context.Context, r *round, a plan.Record) error {
	return c.store(ctx, r, a.Status)
}

func (c *Executor) makeTaskManagers(ctx context.Context, r *round, a plan.MakeTaskManagers) error {
	return c.prepare(ctx, r, plan.PrepareStart(a))
}

func (c *Executor) applyIngress(ctx context.Context, a plan.ApplyIngress) error {
	object := kube.Object{Resource: kube.Ingresses, Namespace: a.Ingress.Namespace, Name: a.Ingress.Name}
	return c.Kube.Apply(ctx, object, a.Ingress, fieldManager)
}

func (c *Executor) deleteIngress(ctx context.Context, a plan.DeleteIngress) error {
	return c.Kube.Delete(ctx, kube.Object{Resource: kube.Ingresses, Namespace: a.Namespace, Name: a.Name}, a.UID)
}

func (c *Executor) deleteLeftovers(ctx context.Context, a plan.DeleteLeftovers) error {
	return c.deleteOwned(ctx, a.Namespace, a.Objects)
}

func (c *Executor) requestUpload(ctx context.Context, r *round, _ plan.RequestUpload) error {
	return c.Events.requestUpload(ctx, r.resource)
}
