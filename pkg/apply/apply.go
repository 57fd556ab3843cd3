package apply

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/jarsource"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// Writer is the part of kube.Client that carries actions out.
type Writer interface {
	Get(ctx context.Context, o kube.Object) (*unstructured.Unstructured, bool, error)
	List(ctx context.Context, q kube.Query) (*unstructured.UnstructuredList, error)
	Create(ctx context.Context, o kube.Object, object any) (*unstructured.Unstructured, error)
	DryRun(ctx context.Context, o kube.Object, object any) error
	MergePatch(ctx context.Context, o kube.Object, patch map[string]any) (*unstructured.Unstructured, error)
	JSONPatch(ctx context.Context, o kube.Object, patch []kube.PatchOperation) (*unstructured.Unstructured, error)
	UpdateStatus(ctx context.Context, o kube.Object, u *unstructured.Unstructured) (*unstructured.Unstructured, error)
	Apply(ctx context.Context, o kube.Object, object any, manager string) error
	Delete(ctx context.Context, o kube.Object, uid types.UID, options ...func(*metav1.DeleteOptions)) error
}

// Nodes is the part of zookeeper.Client that carries actions out.
type Nodes interface {
	Remove(ctx context.Context, r zookeeper.Removal) error
}

// OpenJar opens the jar at a URI.
type OpenJar func(ctx context.Context, p jarsource.Policy, uri string) (jarsource.Jar, error)

// Waker wakes the clock.
type Waker interface {
	Wake(ctx context.Context) error
}

// fieldManager owns the fields that we set by server-side apply.
const fieldManager = "kn-flink"

// Executor carries plans out. Safe for concurrent use.
type Executor struct {
	// Kube writes Kubernetes objects.
	Kube Writer
	// Flink reaches JobManagers.
	Flink func(plan.Endpoint) (*flinkrest.Client, error)
	// ZooKeeper removes high-availability data that is kept there.
	ZooKeeper Nodes
	// Clock is woken before an intent is stored, best effort.
	Clock Waker
	// Events publishes events; nil publishes none.
	Events *EventRecorder
	// Jars say from where jars of session jobs may come; the zero value allows none.
	Jars flinkconf.JarRules
	// OpenJar opens them; nil is jarsource.Open.
	OpenJar OpenJar
	// Log gets what failed and holds up nothing; nil logs nothing.
	Log *zap.SugaredLogger
	// Audit is the log of changes; nil writes none.
	Audit *zap.SugaredLogger
	// Metrics count what is carried out; nil counts nothing.
	Metrics *metrics.Metrics

	ready     sync.Once
	addresses *semaphore.Weighted
}

// round is one plan on its way: the resource in its newest version, and what was written last.
type round struct {
	object   kube.Object
	resource *unstructured.Unstructured
	stored   any
	prepared []cluster.Companion
	// jobManager is the prepared Deployment; nil when nothing was prepared.
	jobManager *unstructured.Unstructured
	// tell publishes the plan's events, once; what it returns waits for them.
	tell func() func()
	// late is true while the events wait for a status that can be stored.
	late bool
}

// Result is what a round left behind.
type Result struct {
	// Resource is the resource after the last write of the round.
	Resource *unstructured.Unstructured
	// Stored is the status that was written last; nil when none was.
	Stored any
	// Prepared are the companions of a start that this round made, or found as made; nil when it prepared none.
	Prepared []cluster.Companion
	// JobManager is the Deployment of that start; not looked at when it prepared none.
	JobManager plan.Observed[*appsv1.Deployment]
	// Failed is the action that failed; nil when none did.
	Failed plan.Action
}

// Execute carries a plan out on the resource that its snapshot read. Its events, and what its status changes, are
// published beside its first actions (before them with TellFirst) and before its status; but after it where the status
// was refused for its size before, because nothing that they tell has happened when it is refused again. The result
// says how far it came, also beside an error.
func (c *Executor) Execute(
	ctx context.Context, object kube.Object, resource *unstructured.Unstructured, p plan.Plan,
) (Result, error) {
	r := &round{object: object, resource: resource, late: refusedForSize(resource)}
	r.tell = sync.OnceValue(func() func() { return c.Events.begin(ctx, resource, p) })
	if !r.late {
		published := r.tell()
		if p.TellFirst {
			published()
		}
		defer published()
	}
	for _, action := range p.Actions {
		if err := c.effect(ctx, r, action); err != nil {
			return Result{Resource: r.resource, Stored: r.stored, Failed: action}, fmt.Errorf("%s: %w", action, err)
		}
	}
	if p.Status != nil && p.Status != r.stored && !p.Gone {
		if err := c.store(ctx, r, p.Status); err != nil {
			return Result{Resource: r.resource, Stored: r.stored}, err
		}
	}
	for _, action := range p.Finish {
		if err := c.effect(ctx, r, action); err != nil {
			return Result{Resource: r.resource, Stored: r.stored, Failed: action}, fmt.Errorf("%s: %w", action, err)
		}
	}
	r.tell()()
	c.auditGone(ctx, r.resource, p)
	c.keepHistory(ctx, r, p.History)
	return Result{Resource: r.resource, Stored: r.stored, Prepared: r.prepared, JobManager: r.made()}, nil
}

// made is the Deployment that the round prepared, as the API server answered it.
func (r *round) made() plan.Observed[*appsv1.Deployment] {
	var jm appsv1.Deployment
	if r.jobManager == nil || kube.Typed(r.jobManager, &jm) != nil {
		return plan.Observed[*appsv1.Deployment]{}
	}
	return plan.Present(&jm)
}

// do carries one action out.
func (c *Executor) do(ctx context.Context, r *round, action plan.Action) error {
	if overdue(ctx) {
		return fail.As(fail.Transient, action.String(), ReasonOverdue, context.DeadlineExceeded)
	}
	carry, known := executors[reflect.TypeOf(action)]
	if !known {
		return fail.Bugf("apply a plan", "UnknownAction", "unknown action %T", action)
	}
	return carry(c, ctx, r, action)
}

// wake wakes the clock, best effort: a clock that nobody can write costs time, and the sweep finds what is under way.
func (c *Executor) wake(ctx context.Context, _ plan.WakeClock) error {
	if err := c.Clock.Wake(ctx); err != nil && c.Log != nil {
		telemetry.Traced(ctx, c.Log).Warnw(
			"the clock could not be set to its fast schedule: operations in progress are checked less often",
			telemetry.Error, fail.Message(err),
		)
	}
	return nil
}

// Reasons of errors that nobody has refused anything by: the time of the pass is over.
const (
	// ReasonOverdue: it is over before an action began.
	ReasonOverdue = "PassOverdue"
	// ReasonBudget: it is over before the action's turn came.
	ReasonBudget = "Budget"
)

// overdue reports whether the time of the pass is over, by the clock on the wall as well. A process that was frozen may
// wake up before its timers do, and would then send what was decided long ago: by now another pass may have given it
// up.
func overdue(ctx context.Context) bool {
	deadline, bounded := ctx.Deadline()
	now := time.Now()
	return bounded && (now.After(deadline) || now.Round(0).After(deadline.Round(0)))
}
