package gather

import (
	"context"
	"sync"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Sides reads what belongs to FlinkBlueGreenDeployments beside them.
type Sides interface {
	// FlinkDeployment reads one by its name.
	FlinkDeployment(ctx context.Context, namespace, name string) plan.Observed[*v1beta1.FlinkDeployment]
	// FlinkSessionJob reads one by its name.
	FlinkSessionJob(ctx context.Context, namespace, name string) plan.Observed[*v1beta1.FlinkSessionJob]
	// Ingress reads one by its name.
	Ingress(ctx context.Context, namespace, name string) plan.Observed[*networkingv1.Ingress]
}

// BlueGreenOf looks at a FlinkBlueGreenDeployment that was read already. Protocol, each step after the answers of the
// one before, and only as far as asked for:
//
//  1. both sides | the Ingress
//  2. the FlinkSessionJobs of sides that are session clusters
//  3. what is left of the target's cluster | what Flink says of the savepoint | what the gates need |
//     what Flink says for a handover
func (g *Gatherer) BlueGreenOf(ctx context.Context, object *unstructured.Unstructured) (bluegreen.Snapshot, error) {
	return g.BlueGreenBeside(ctx, object, g)
}

// BlueGreenBeside is BlueGreenOf where others may have read the sides already.
func (g *Gatherer) BlueGreenBeside(
	ctx context.Context, object *unstructured.Unstructured, from Sides,
) (bluegreen.Snapshot, error) {
	resource, specErr, err := v1beta1.DecodeBlueGreen(object.Object)
	if err != nil {
		return bluegreen.Snapshot{}, fail.As(
			fail.Invalid, "read FlinkBlueGreenDeployment "+object.GetNamespace()+"/"+object.GetName(), "Unreadable", err,
		)
	}
	s := bluegreen.Snapshot{Now: g.Now(), Operator: g.Operator, Resource: &resource}
	if specErr != nil {
		s.SpecProblem = fail.Message(specErr)
	}
	if !bluegreen.AskSides(s) {
		return s, nil
	}
	namespace, name := resource.Namespace, resource.Name
	var looks sync.WaitGroup
	looks.Go(func() {
		s.Blue = from.FlinkDeployment(ctx, namespace, bluegreen.ChildName(name, v1beta1.Blue))
	})
	looks.Go(func() {
		s.Green = from.FlinkDeployment(ctx, namespace, bluegreen.ChildName(name, v1beta1.Green))
	})
	if bluegreen.AskIngress(s) {
		looks.Go(func() { s.Ingress = from.Ingress(ctx, namespace, render.IngressName(name)) })
	}
	looks.Wait()
	g.jobsOfSides(ctx, &s, from)
	if left := bluegreen.AskLeft(s); left != "" {
		s.Left = g.left(ctx, namespace, left)
	}
	if q := bluegreen.AskFlink(s); q != nil {
		s.Savepoint = g.transitionSavepoint(ctx, *q)
	}
	if q := bluegreen.AskGates(s, g.GateServices); q != nil {
		s.Gates = g.gates(ctx, &resource, *q)
	}
	if q := bluegreen.AskMoving(s); q != nil {
		s.Moving = g.moving(ctx, *q)
	}
	return s, nil
}

// jobsOfSides reads the FlinkSessionJobs of the sides that are session clusters.
func (g *Gatherer) jobsOfSides(ctx context.Context, s *bluegreen.Snapshot, from Sides) {
	var looks sync.WaitGroup
	colours := []v1beta1.BlueGreenType{v1beta1.Blue, v1beta1.Green}
	jobs := make([]plan.Observed[*v1beta1.FlinkSessionJob], len(colours))
	for i, colour := range colours {
		if bluegreen.AskJob(s.Side(colour)) {
			looks.Go(func() {
				jobs[i] = from.FlinkSessionJob(
					ctx, s.Resource.Namespace, bluegreen.ChildName(s.Resource.Name, colour),
				)
			})
		}
	}
	looks.Wait()
	for i, colour := range colours {
		if bluegreen.AskJob(s.Side(colour)) {
			s.Join(colour, jobs[i])
		}
	}
}

// FlinkSessionJob reads one by its name.
func (g *Gatherer) FlinkSessionJob(
	ctx context.Context, namespace, name string,
) plan.Observed[*v1beta1.FlinkSessionJob] {
	u, found, err := g.Kube.Get(
		ctx, kube.Object{Resource: v1beta1.FlinkSessionJobGVR, Namespace: namespace, Name: name},
	)
	return observe(u, found, err, func(u *unstructured.Unstructured) (*v1beta1.FlinkSessionJob, error) {
		j, _, err := v1beta1.DecodeSessionJob(u.Object)
		return &j, err
	})
}

// FlinkDeployment reads one by its name.
func (g *Gatherer) FlinkDeployment(
	ctx context.Context, namespace, name string,
) plan.Observed[*v1beta1.FlinkDeployment] {
	u, found, err := g.Kube.Get(
		ctx, kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: namespace, Name: name},
	)
	return observe(u, found, err, func(u *unstructured.Unstructured) (*v1beta1.FlinkDeployment, error) {
		d, _, err := v1beta1.DecodeDeployment(u.Object)
		return &d, err
	})
}

// Ingress reads one by its name.
func (g *Gatherer) Ingress(ctx context.Context, namespace, name string) plan.Observed[*networkingv1.Ingress] {
	u, found, err := g.Kube.Get(ctx, kube.Object{Resource: kube.Ingresses, Namespace: namespace, Name: name})
	return observe(u, found, err, typed[networkingv1.Ingress])
}

// left is what is there of a cluster whose FlinkDeployment is gone.
func (g *Gatherer) left(ctx context.Context, namespace, name string) plan.Observed[bluegreen.Left] {
	jobManager, data := g.JobManager(ctx, namespace, name), g.haData(ctx, namespace, name)
	switch {
	case jobManager.IsUnknown():
		return plan.Unknown[bluegreen.Left](jobManager.Why())
	case data.IsUnknown():
		return plan.Unknown[bluegreen.Left](data.Why())
	}
	found := bluegreen.Left{JobManager: jobManager.IsPresent()}
	maps, _ := data.Get()
	for _, m := range maps {
		found.HAData = append(found.HAData, m.ObjectVersion)
	}
	return plan.Present(found)
}

func (g *Gatherer) transitionSavepoint(
	ctx context.Context, q bluegreen.FlinkQuery,
) plan.Observed[snapshots.Operation] {
	client, err := g.Flink(q.Endpoint)
	if err != nil {
		return plan.Unknown[snapshots.Operation](oneLine(err))
	}
	return g.operation(ctx, client, q.Request)
}
