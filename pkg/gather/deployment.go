package gather

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/podfailure"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Deployment looks at one FlinkDeployment, of which at least the resource was read already. Protocol, each step after
// the answers of the one before:
//
//  1. the resource
//  2. its Deployment: after the resource, never beside it. A Deployment that is older than the resource could be taken
//     for lost just when another pass has made it; one that is newer does no harm, because every write is guarded by
//     the resource's version
//     and the ConfigMap that it was deployed with, while status does not say the same
//  3. what the autoscaler keeps, where it is on or was: it is part of the spec that counts
//  4. the user's validators, of a spec that is not accepted yet and has no stored verdict
//  5. pods | companions | HA data, then Flink's jobs | Ingress | session jobs        as far as asked for
//  6. Flink's figures and a failure's cause                                          when the jobs moved
func (g *Gatherer) Deployment(ctx context.Context, r Read) (*deployment.Inquiry, error) {
	if r.JobManager.IsUnknown() && r.JobManager.Why() == "" {
		r.JobManager = g.JobManager(ctx, r.Resource.GetNamespace(), r.Resource.GetName())
	}
	return g.DeploymentOf(ctx, r)
}

// Read is what was read of a FlinkDeployment already.
type Read struct {
	// Resource is the FlinkDeployment.
	Resource *unstructured.Unstructured
	// Decoded is the FlinkDeployment in its own type, in place of Resource.
	Decoded *v1beta1.FlinkDeployment
	// SpecProblem is why the spec of Decoded could not be read.
	SpecProblem error
	// JobManager is its Deployment, read after it, or made by this very pass.
	JobManager plan.Observed[*appsv1.Deployment]
	// Pods answers for the cluster's pods from lists of many; nil lists those of this cluster.
	Pods Pods
	// Stores answers for what the autoscaler keeps from lists of many; nil lists that of this resource.
	Stores Stores
	// Prepared are the companions of an open start that this pass has just made, or found as made. Nil asks for them.
	Prepared []cluster.Companion
}

// DeploymentOf looks at a FlinkDeployment that was read already, together with its Deployment.
func (g *Gatherer) DeploymentOf(ctx context.Context, r Read) (*deployment.Inquiry, error) {
	r, err := r.Decode()
	if err != nil {
		return nil, err
	}
	inquiry := g.open(ctx, r)
	q := g.Revise.deployment(inquiry.First(), inquiry)
	var looks sync.WaitGroup
	ask := func(wanted bool, look func()) {
		if wanted {
			looks.Go(look)
		}
	}
	s, resource, jm := inquiry.Seen, inquiry.Seen.Resource, r.JobManager
	namespace, name := resource.Namespace, resource.Name
	if q.Pods {
		apart := inquiry.Apart()
		looks.Go(func() {
			apart.Seen.Pods, apart.Seen.TaskManagers = g.pods(ctx, r.Pods, namespace, name, q.TaskManagers)
			g.ofPods(ctx, apart, s)
		})
	}
	ask(q.TaskManagerDeployment, func() { s.TaskManagerDeployment = g.taskManagerDeployment(ctx, resource) })
	ask(q.Owned && !g.Brief, func() { s.Owned = g.owned(ctx, jm) })
	ask(q.ReplicaSets && !g.Brief, func() { s.ReplicaSets = g.replicaSets(ctx, namespace, name) })
	if q.Companions && !g.Brief && r.Prepared == nil {
		expected := inquiry.ExpectedCompanions()
		looks.Go(func() { s.Companions = g.companions(ctx, jm, expected) })
	}
	highAvailability := func() {
		if q.HAData {
			s.HAData = g.haData(ctx, namespace, name)
		}
		if q.HANodes != nil {
			s.HANodes = g.haNodes(ctx, *q.HANodes)
		}
	}
	ask(q.Flink == nil, highAvailability)
	ask(!g.Brief && inquiry.AsksRevisions(), func() { s.Revisions = g.revisions(ctx, resource) })
	ask(q.Ingress, func() { s.Ingress = g.ingress(ctx, resource) })
	ask(q.Snapshots, func() {
		s.Snapshots = g.Snapshots(ctx, namespace, v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: name})
	})
	if q.SessionJobs {
		config := inquiry.Config()
		looks.Go(func() { s.SessionJobs = g.sessionJobs(ctx, namespace, name, config) })
	}
	if q.Flink != nil {
		apart := inquiry.Apart()
		looks.Go(func() {
			highAvailability() // before the jobs: what is recorded of a run is not of a later one
			s.Flink = g.flink(ctx, q, apart)
		})
	}
	looks.Wait() // each reports its failure in the part that it fills
	s.Readers = g.readers(ctx, resource, inquiry.Readers())
	if g.Room != nil && inquiry.AsksRoom() {
		s.Room = g.Room.Look(ctx)
	}
	return inquiry, nil
}

// open begins the inquiry, up to which spec counts.
func (g *Gatherer) open(ctx context.Context, r Read) *deployment.Inquiry {
	resource := *r.Decoded
	known := cluster.Snapshot{LogFiles: g.LogFiles}
	known.Now, known.Operator, known.Resource, known.JobManager = g.Now(), g.Operator, &resource, r.JobManager
	if r.SpecProblem != nil {
		known.SpecProblem = fail.Message(r.SpecProblem)
	}
	known.Recorded = world.ReadRecorded(&resource)
	if r.Prepared != nil {
		known.Companions = plan.Present(r.Prepared)
	}
	inquiry := deployment.Open(known)
	if inquiry.AsksDeployed() {
		inquiry.SeeDeployed(g.deployed(ctx, resource.Namespace, resource.Name))
	}
	g.autoscaledOf(ctx, r.Stores, inquiry)
	if inquiry.AsksValidators() {
		inquiry.Seen.Judged = g.judged(ctx, judging{
			kind: v1beta1.KindFlinkDeployment, resource: &resource, gvr: v1beta1.FlinkDeploymentGVR, spec: resource.Spec,
			stored: resource.Status.Verdict,
		})
	}
	return inquiry
}

// autoscaledOf looks for what the autoscaler keeps, where it is on or was.
func (g *Gatherer) autoscaledOf(ctx context.Context, stores Stores, inquiry *deployment.Inquiry) {
	if !inquiry.AsksAutoscaled() {
		return
	}
	if stores == nil {
		stores = g.Autoscaled
	}
	inquiry.SeeAutoscaled(stores(ctx, inquiry.Seen.Resource))
}

// Decode reads the resource into its own type, unless that is done. It fails for one that is not even a resource.
func (r Read) Decode() (Read, error) {
	if r.Decoded != nil {
		return r, nil
	}
	resource, specErr, err := v1beta1.DecodeDeployment(r.Resource.Object)
	if err != nil {
		return r, fail.As(
			fail.Invalid, "read FlinkDeployment "+r.Resource.GetNamespace()+"/"+r.Resource.GetName(), "Unreadable", err,
		)
	}
	r.Decoded, r.SpecProblem = &resource, specErr
	return r, nil
}

// missingVolumes asks for the mount failures of a JobManager pod that waits for its volumes.
func (g *Gatherer) missingVolumes(ctx context.Context, seen cluster.Snapshot) plan.Observed[[]string] {
	pods, _ := seen.Pods.Get()
	for _, pod := range pods {
		if podfailure.MayMissVolumes(pod) {
			return g.mountFailures(ctx, pod.Namespace, pod.Name)
		}
	}
	return plan.Observed[[]string]{}
}

func (g *Gatherer) mountFailures(ctx context.Context, namespace, pod string) plan.Observed[[]string] {
	list, err := g.Kube.List(ctx, kube.Query{
		Resource: kube.Events, Namespace: namespace,
		Fields: fmt.Sprintf("involvedObject.kind=Pod,involvedObject.name=%s,reason=FailedMount", pod),
	})
	if err != nil {
		return plan.Unknown[[]string](oneLine(err))
	}
	return newestFirst(list)
}

// logLines is how much of the log of a container that crashed is read, from its end: Java's stack traces are long.
const logLines = 400

// ofPods looks at what the pods that were seen lead to.
func (g *Gatherer) ofPods(ctx context.Context, apart *deployment.Inquiry, s *cluster.Snapshot) {
	seen := *apart.Seen
	s.Pods, s.TaskManagers = seen.Pods, seen.TaskManagers
	s.MountFailures, s.Nodes = g.missingVolumes(ctx, seen), g.nodes(ctx, apart)
	s.CrashCause, s.OtherSpecs = g.crashCause(ctx, seen)
}

// companions looks up each object of a prepared start by name. One that a Deployment of that name owned which is gone
// is as good as gone: the garbage collector is about to take it.
func (g *Gatherer) companions(
	ctx context.Context, jm plan.Observed[*appsv1.Deployment], wanted []cluster.Companion,
) plan.Observed[[]cluster.Companion] {
	d, ok := jm.Get()
	if !ok {
		return plan.Unknown[[]cluster.Companion]("there is no Deployment")
	}
	seen := make([]cluster.Companion, len(wanted))
	var group errgroup.Group
	for i, c := range wanted {
		group.Go(func() error {
			u, found, err := g.Kube.Get(ctx, kube.Object{Resource: kube.Owned(c.Kind), Namespace: d.Namespace, Name: c.Name})
			if err == nil && found && ownedBy(u, string(d.UID)) {
				seen[i] = cluster.Companion{
					Kind: c.Kind, Name: c.Name, Operation: u.GetAnnotations()[v1beta1.AnnotationOperation],
				}
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return plan.Unknown[[]cluster.Companion](oneLine(err))
	}
	present := seen[:0]
	for _, c := range seen {
		if c != (cluster.Companion{}) {
			present = append(present, c)
		}
	}
	return plan.Present(present)
}

func (g *Gatherer) ingress(
	ctx context.Context, resource *v1beta1.FlinkDeployment,
) plan.Observed[*networkingv1.Ingress] {
	u, found, err := g.Kube.Get(
		ctx, kube.Object{Resource: kube.Ingresses, Namespace: resource.Namespace, Name: render.IngressName(resource.Name)},
	)
	return observe(u, found, err, typed[networkingv1.Ingress])
}

// taskManagerDeployment looks for the Deployment of a standalone cluster's TaskManagers: ours is owned by the
// JobManager's Deployment, that of the Java operator by the resource.
func (g *Gatherer) taskManagerDeployment(
	ctx context.Context, resource *v1beta1.FlinkDeployment,
) plan.Observed[cluster.TaskManagerDeployment] {
	u, found, err := g.Kube.Get(ctx, kube.Object{
		Resource: kube.Deployments, Namespace: resource.Namespace, Name: render.TaskManagerDeploymentName(resource.Name),
	})
	switch {
	case err != nil:
		return plan.Unknown[cluster.TaskManagerDeployment](oneLine(err))
	case !found || u.GetDeletionTimestamp() != nil,
		!ownedBy(u, string(resource.UID)) && !ownedByDeployment(u, resource.Name):
		return plan.Absent[cluster.TaskManagerDeployment]()
	}
	seen := cluster.TaskManagerDeployment{ObjectVersion: version(u), Replicas: 1}
	if replicas, set, err := unstructured.NestedInt64(u.Object, "spec", "replicas"); err == nil && set {
		seen.Replicas = int32(replicas)
	}
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	made, _, _ := unstructured.NestedInt64(u.Object, "status", "replicas")
	seen.MayMakePods = observed < u.GetGeneration() || made > 0
	return plan.Present(seen)
}

// ownedByDeployment reports whether a Deployment of that name owns an object of ours, be it there or gone.
func ownedByDeployment(u *unstructured.Unstructured, name string) bool {
	return u.GetAnnotations()[v1beta1.AnnotationOperation] != "" &&
		slices.ContainsFunc(u.GetOwnerReferences(), func(o metav1.OwnerReference) bool {
			return o.Kind == kube.KindDeployment && o.Name == name
		})
}

// sessionJobs lists the FlinkSessionJobs of one session cluster. One that cannot be read counts as one without a
// request on its way: no pass can be made for it.
func (g *Gatherer) sessionJobs(
	ctx context.Context, namespace, host string, config flinkconf.Config,
) plan.Observed[[]cluster.SessionJob] {
	found := []cluster.SessionJob{}
	query := kube.Query{Resource: v1beta1.FlinkSessionJobGVR, Namespace: namespace, Limit: listed}
	err := pages(ctx, g.Kube, query, func(u *unstructured.Unstructured) error {
		target, _, _ := unstructured.NestedString(u.Object, "spec", "deploymentName")
		one := cluster.SessionJob{Name: u.GetName(), Unreadable: true}
		if j, _, err := v1beta1.DecodeSessionJob(u.Object); err == nil {
			target, one = session.ClusterOf(&j), cluster.HostedJob(&j, config)
		}
		if target == host {
			found = append(found, one)
		}
		return nil
	})
	if err != nil {
		return plan.Unknown[[]cluster.SessionJob](oneLine(err))
	}
	return plan.Present(found)
}

// SessionJobs are the FlinkSessionJobs of a session cluster, to be told that it moves; none when they cannot be listed.
func (g *Gatherer) SessionJobs(ctx context.Context, namespace, cluster string) []plan.Dependant {
	jobs, _ := g.sessionJobs(ctx, namespace, cluster, nil).Get()
	all := make([]plan.Dependant, 0, len(jobs))
	for _, j := range jobs {
		all = append(all, plan.Dependant{Kind: v1beta1.KindFlinkSessionJob, Name: j.Name})
	}
	return all
}
