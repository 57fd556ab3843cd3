package sweep

import (
	"context"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// lookAtSessionJobs looks at FlinkSessionJobs that a list brought. What the jobs of one session cluster have in common
// is read once for all of them: its resource, its Deployment, and the list of its jobs.
func (o *Observer) lookAtSessionJobs(
	ctx context.Context, namespace string, list *unstructured.UnstructuredList,
) look {
	shared := &sharedHosts{from: o.Gather, ctx: ctx, stores: o.Gather.Autoscaled}
	if len(list.Items) >= bulkFrom {
		jobs := gather.Clusters{Namespace: namespace}
		for i := range list.Items {
			jobs.Names = append(jobs.Names, list.Items[i].GetName())
		}
		shared.stores = o.Gather.StoresOf(ctx, jobs)
	}
	return func(ctx context.Context, u *unstructured.Unstructured) error {
		inquiry, err := o.Gather.SessionJobOf(ctx, u, shared)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		s := inquiry.Seen
		r := s.Resource
		if r.DeletionTimestamp == nil && v1beta1.OnlyCanary(r.Labels, r.Status.ReconciliationStatus, r.Status.Intent) {
			return o.lookAtCanary(ctx, v1beta1.KindFlinkSessionJob, r, r.Status.ObservedGeneration)
		}
		o.tell(facts{v1beta1.KindFlinkSessionJob, r, s.Now, nil, r.Status.Conditions, s.Flink.Checkpointed()})
		if in, at, due := inquiry.Sampling(); due {
			inquiry.SeeSamples(o.sample(ctx, measured{
				event.Key{Kind: v1beta1.KindFlinkSessionJob, Namespace: r.Namespace, Name: r.Name}, r, in, at, s.Autoscaled,
			}))
		}
		p := inquiry.Plan()
		status := s.Resource.Status
		return o.askFor(ctx, v1beta1.KindFlinkSessionJob, s.Resource, p, stands{
			status.Pace, status.ObservedGeneration, event.ReasonHealth,
		})
	}
}

// sharedHosts reads each session cluster once, in the time that there is for all: whoever has less does not wait for
// it. Safe for concurrent use.
type sharedHosts struct {
	from     gather.Host
	stores   gather.Stores
	ctx      context.Context // that of the page
	clusters sync.Map        // types.NamespacedName -> *later[gather.Hosting]
	jobs     sync.Map        // plan.Endpoint -> *later[listing]
}

// Autoscaled answers from one list for the page, where it has many jobs.
func (h *sharedHosts) Autoscaled(
	ctx context.Context, resource metav1.Object,
) plan.Observed[autoscaled.Store] {
	return h.stores(ctx, resource)
}

// later is a value that somebody reads.
type later[T any] struct {
	once sync.Once
	done chan struct{}
	is   T
}

// of is the value of a key, which the first who asks has read; false: the time was up before it was.
func of[K comparable, T any](ctx context.Context, all *sync.Map, key K, read func() T) (value T, ok bool) {
	known, _ := all.LoadOrStore(key, &later[T]{done: make(chan struct{})})
	l := known.(*later[T])
	l.once.Do(func() {
		go func() {
			defer close(l.done)
			l.is = read()
		}()
	})
	select {
	case <-l.done:
		return l.is, true
	case <-ctx.Done():
		return value, false
	}
}

type listing struct {
	jobs gather.Jobs
	err  error
}

// Cluster reads a session cluster, or answers as before.
func (h *sharedHosts) Cluster(ctx context.Context, namespace, name string) gather.Hosting {
	known, ok := of(ctx, &h.clusters, types.NamespacedName{Namespace: namespace, Name: name}, func() gather.Hosting {
		return h.from.Cluster(h.ctx, namespace, name)
	})
	if !ok {
		why := ctx.Err().Error()
		known.Resource = plan.Unknown[*v1beta1.FlinkDeployment](why)
		known.JobManager = plan.Unknown[*appsv1.Deployment](why)
	}
	return known
}

// Jobs asks a JobManager for its jobs, or answers as before.
func (h *sharedHosts) Jobs(ctx context.Context, at plan.Endpoint) (gather.Jobs, error) {
	known, ok := of(ctx, &h.jobs, at, func() listing {
		jobs, err := h.from.Jobs(h.ctx, at)
		return listing{jobs, err}
	})
	if !ok {
		return gather.Jobs{}, ctx.Err()
	}
	return known.jobs, known.err
}
