package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/quarantined"
	"github.com/kn-flink/kn-flink/pkg/quarantine"
	"github.com/kn-flink/kn-flink/pkg/render"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// Observer looks at the fleet. Safe for concurrent use.
type Observer struct {
	// Gather looks at resources.
	Gather *gather.Gatherer
	// Kube lists in bulk.
	Kube *kube.Client
	// Clock is given its pace by a full sweep.
	Clock *clock.Clock
	// Control takes pass.requested and shard events.
	Control interface {
		Publish(ctx context.Context, e cloudevents.Event) error
	}
	// Watches says whether a namespace is this installation's.
	Watches func(namespace string) bool
	// Namespaces are the watched ones; empty means all, in one list.
	Namespaces []string
	// Labels is a label selector of the resources that are this installation's; empty: all are.
	Labels string
	// Selects says the same of the labels of one; nil: all are.
	Selects func(labels map[string]string) bool
	// PagesApart is how far apart the pages of a sweep are sent; zero: at once.
	PagesApart time.Duration
	// Log gets one line for each pass asked for.
	Log *zap.SugaredLogger
	// Metrics tell how the fleet is; nil tells nothing.
	Metrics *metrics.Metrics
	// Post asks an address of the user with JSON, and reads its answer; nil asks none.
	Post Post

	// Ward keeps what the process dies of from killing it for ever; nil does not.
	Ward *quarantine.Ward

	// asked are the passes that this pod has asked for, and turns what it knows of sweeps.
	asked asked
	turns turns

	mu    sync.Mutex
	batch batch
	// told is when it was last told that a namespace may not be read.
	told map[string]time.Time
	// places are for the pages that are in memory.
	places chan struct{}
}

// Post asks an address with JSON, and reads its answer. See extension.Asker.
type Post func(ctx context.Context, url string, timeout time.Duration, body []byte) ([]byte, error)

// source is the function's name in CloudEvents.
const source = "/functions/observe"

// bulkFrom is from how many on the Deployments and pods of a page are listed in one request each instead of one by one.
const bulkFrom = 5

// selector finds the JobManager Deployments of every cluster.
const selector = render.LabelComponent + "=" + render.ComponentJobManager + "," + render.LabelType + " in (" +
	render.TypeNative + ",flink-standalone-kubernetes)"

// lookAtDeployments looks at FlinkDeployments that a list brought, with their Deployments.
func (o *Observer) lookAtDeployments(
	ctx context.Context, namespace string, list *unstructured.UnstructuredList,
) look {
	read := o.reader(ctx, namespace, list)
	return func(ctx context.Context, u *unstructured.Unstructured) error { return o.lookAt(ctx, read(u)) }
}

// lookAt looks at one FlinkDeployment, unless a pass is at it. A look that came to its end before it had seen all
// judges nothing.
func (o *Observer) lookAt(ctx context.Context, read gather.Read) error {
	read, err := read.Decode()
	if err != nil {
		return err
	}
	if d, now := read.Decoded, o.Gather.Now(); justBegun(d, now) {
		o.tell(factsOf(d, now, time.Time{}))
		return nil
	}
	inquiry, err := o.Gather.DeploymentOf(ctx, read)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	snapshot := inquiry.Seen
	r := snapshot.Resource
	if r.DeletionTimestamp == nil && v1beta1.OnlyCanary(r.Labels, r.Status.ReconciliationStatus, r.Status.Intent) {
		return o.lookAtCanary(ctx, v1beta1.KindFlinkDeployment, r, r.Status.ObservedGeneration)
	}
	o.tell(factsOf(r, snapshot.Now, snapshot.Flink.Checkpointed()))
	if in, at, due := inquiry.Sampling(); due {
		inquiry.SeeSamples(o.sample(ctx, measured{
			event.Key{Kind: v1beta1.KindFlinkDeployment, Namespace: r.Namespace, Name: r.Name}, r, in, at, snapshot.Autoscaled,
		}))
	}
	return o.judge(ctx, inquiry, event.ReasonHealth)
}

// deploymentItems are the FlinkDeployments of a page, with the snapshots of their jobs that are being taken.
func (o *Observer) deploymentItems(ctx context.Context, query kube.Query, snapshots bool) ([]item, part, error) {
	var items []item
	var read part
	var failures []error
	clusters := gather.Clusters{Namespace: query.Namespace, Selector: selector}
	page := map[types.NamespacedName]*v1beta1.FlinkDeployment{}
	var reads []gather.Read
	listed, err := o.Kube.ListEach(ctx, query, func(content map[string]any) error {
		read.count++
		resource, specErr, err := v1beta1.DecodeDeployment(content)
		switch {
		case err != nil:
			telemetry.Traced(ctx, o.Log).Infow("look failed", telemetry.Error, fail.Message(err))
			failures = append(failures, fail.As(fail.Invalid, "read FlinkDeployment", "Unreadable", err))
		case o.Watches(resource.Namespace):
			reads = append(reads, gather.Read{Decoded: &resource, SpecProblem: specErr})
			clusters.Names = append(clusters.Names, resource.Name)
			page[types.NamespacedName{Namespace: resource.Namespace, Name: resource.Name}] = &resource
		}
		return nil
	})
	if err != nil {
		return nil, part{}, err
	}
	read.next = listed.Continue
	jobManagers, pods := o.Gather.JobManagers(ctx, clusters), o.Gather.PodsOf(ctx, clusters)
	stores := o.Gather.StoresOf(ctx, clusters)
	for _, r := range reads {
		namespace, name := r.Decoded.Namespace, r.Decoded.Name
		r.JobManager, r.Pods, r.Stores = jobManagers(namespace, name), pods, stores
		items = append(items, item{
			event.Key{Kind: v1beta1.KindFlinkDeployment, Namespace: namespace, Name: name},
			func(ctx context.Context) error { return o.lookAt(ctx, r) }, r.Decoded.Generation,
			quarantined.Told(r.Decoded.Status.Conditions, r.Decoded.Generation),
		})
	}
	if snapshots {
		beside, err := o.snapshotsBeside(ctx, clusters, page)
		items, failures = append(items, beside...), append(failures, err)
	}
	return items, read, errors.Join(failures...)
}

// reader brings what a look at each resource of a page begins with: for few its Deployment, for many all Deployments
// and all pods that belong to the page, in few lists.
func (o *Observer) reader(
	ctx context.Context, namespace string, list *unstructured.UnstructuredList,
) func(*unstructured.Unstructured) gather.Read {
	if len(list.Items) < bulkFrom {
		return func(u *unstructured.Unstructured) gather.Read {
			return gather.Read{Resource: u, JobManager: o.Gather.JobManager(ctx, u.GetNamespace(), u.GetName())}
		}
	}
	clusters := gather.Clusters{Namespace: namespace, Selector: selector}
	for i := range list.Items {
		clusters.Names = append(clusters.Names, list.Items[i].GetName())
	}
	jobManagers, pods := o.Gather.JobManagers(ctx, clusters), o.Gather.PodsOf(ctx, clusters)
	stores := o.Gather.StoresOf(ctx, clusters)
	return func(u *unstructured.Unstructured) gather.Read {
		jm := jobManagers(u.GetNamespace(), u.GetName())
		return gather.Read{Resource: u, JobManager: jm, Pods: pods, Stores: stores}
	}
}

// judge decides whether a pass would do or record anything, and asks for it.
func (o *Observer) judge(ctx context.Context, inquiry *deployment.Inquiry, reason event.Reason) error {
	r := inquiry.Seen.Resource
	return o.askFor(ctx, v1beta1.KindFlinkDeployment, r, inquiry.Plan(), stands{
		r.Status.Pace, r.Status.ObservedGeneration, reason,
	})
}

// stands is what of a status says why a pass is asked for.
type stands struct {
	pace     v1beta1.Pace
	observed int64
	// otherwise is the reason for a resource that neither moves nor has a spec that was not judged.
	otherwise event.Reason
}

// askFor asks for a pass where the plan of a look would do or record anything.
func (o *Observer) askFor(ctx context.Context, kind string, r metav1.Object, p plan.Plan, s stands) error {
	if p.IsQuiet() && p.Status == nil {
		return nil
	}
	switch {
	case s.pace == v1beta1.PaceFast:
		s.otherwise = event.ReasonTransition
	case s.observed != r.GetGeneration():
		s.otherwise = event.ReasonDrift
	}
	return o.request(ctx, kind, r, s.otherwise, p.String())
}

// justBegun reports whether the pass that stored the open start, or the open stop of a deletion, is most likely still
// at it: asking for another one would only get in its way. One that died is noticed a few seconds later.
func justBegun(r *v1beta1.FlinkDeployment, now time.Time) bool {
	intent := r.Status.Intent
	return intent != nil && now.Sub(intent.StoredAt.Time) < beginning &&
		(intent.Step == v1beta1.StepStarting || (intent.Step == v1beta1.StepStopping && r.DeletionTimestamp != nil))
}

// beginning is how long a start, or a deletion, is left to the pass that began it.
const beginning = 6 * time.Second

// request posts pass.requested, unless the same was asked for and may be on its way.
func (o *Observer) request(
	ctx context.Context, kind string, r metav1.Object, reason event.Reason, planned string,
) error {
	key := event.Key{Kind: kind, Namespace: r.GetNamespace(), Name: r.GetName()}
	if !o.asked.due(key, question{version: r.GetResourceVersion(), plan: planned}, o.Gather.Now()) {
		return nil
	}
	e, err := event.Make(event.TypePassRequested, event.Head{
		ID:  fmt.Sprintf("%s-%s-%s-%d", r.GetUID(), r.GetResourceVersion(), reason, o.Gather.Now().UnixMilli()),
		Key: key, Source: source, Time: o.Gather.Now(), Reason: string(reason),
	}, nil)
	if err != nil {
		return err
	}
	o.Metrics.Count(ctx, metrics.Requests, 1, metrics.Kind(kind), metrics.Reason(string(reason)))
	telemetry.Traced(ctx, o.Log).Infow("pass requested", telemetry.Key, key.String(), telemetry.Reason, string(reason))
	err = o.Control.Publish(ctx, e)
	if err != nil {
		o.asked.refused(key)
	}
	return err
}
