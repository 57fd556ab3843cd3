package sweep

import (
	"context"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/sessionjob"
)

// lookAtSessionJobs looks at FlinkSessionJobs that a list brought. What the jobs of one session cluster have in common
// is read once for all of them: its resource, its Deployment, and the list of its jobs.
func (o *Observer) lookAtSessionJobs(ctx context.Context, _ string, _ *unstructured.UnstructuredList) look {
	shared := &sharedHosts{from: o.Gather}
	return func(u *unstructured.Unstructured) error {
		s, err := o.Gather.SessionJobOf(ctx, u, shared)
		if err != nil {
			return err
		}
		p := sessionjob.Make(s)
		if p.IsQuiet() && p.Status == nil {
			return nil
		}
		reason := event.ReasonHealth
		switch {
		case s.Resource.Status.Pace == v1beta1.PaceFast:
			reason = event.ReasonTransition
		case s.Resource.Status.ObservedGeneration != s.Resource.Generation:
			reason = event.ReasonDrift
		}
		return o.request(ctx, v1beta1.KindFlinkSessionJob, s.Resource, reason)
	}
}

// sharedHosts reads each session cluster once. Safe for concurrent use.
type sharedHosts struct {
	from     gather.Host
	clusters sync.Map // types.NamespacedName -> func() gather.Hosting
	jobs     sync.Map // plan.Endpoint -> func() listing
}

type listing struct {
	jobs gather.Jobs
	err  error
}

// Cluster reads a session cluster, or answers as before.
func (h *sharedHosts) Cluster(ctx context.Context, namespace, name string) gather.Hosting {
	read, _ := h.clusters.LoadOrStore(types.NamespacedName{Namespace: namespace, Name: name},
		sync.OnceValue(func() gather.Hosting { return h.from.Cluster(ctx, namespace, name) }))
	return read.(func() gather.Hosting)()
}

// Jobs asks a JobManager for its jobs, or answers as before.
func (h *sharedHosts) Jobs(ctx context.Context, at plan.Endpoint) (gather.Jobs, error) {
	ask, _ := h.jobs.LoadOrStore(at, sync.OnceValue(func() listing {
		jobs, err := h.from.Jobs(ctx, at)
		return listing{jobs, err}
	}))
	known := ask.(func() listing)()
	return known.jobs, known.err
}

// addSessionJob adds a FlinkSessionJob. One that was never looked at moves, but a canary.
func (f *fleet) addSessionJob(u *unstructured.Unstructured) {
	f.count++
	state, _, _ := unstructured.NestedString(u.Object, "status", "jobStatus", "state")
	situation, _, _ := unstructured.NestedString(u.Object, "status", "situation")
	canary := strings.EqualFold(u.GetLabels()[v1beta1.LabelCanary], "true")
	f.moving = f.moving || moves(u) || (situation == "" && !canary)
	f.running = f.running || (state != "" && !v1beta1.FlinkJobState(state).IsTerminal()) || reconciling(u)
}
