package pass

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/quarantined"
	"github.com/kn-flink/kn-flink/pkg/quarantine"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// maxRounds bounds the rounds of a pass. A first start takes three: finalizer, preparation, release; a stop with a
// start five; both of a session job, the second for an edit that came meanwhile, twelve.
const maxRounds = 16

// Runner runs passes. Safe for concurrent use.
type Runner struct {
	// Gather looks at the world.
	Gather *gather.Gatherer
	// Apply carries plans out.
	Apply *apply.Executor
	// Watches says whether a namespace is this installation's.
	Watches func(namespace string) bool
	// Selects says whether a resource with such labels is this installation's; nil: all are.
	Selects func(labels map[string]string) bool
	// Manager is the name of our own writes in managedFields; empty takes no event for that of one.
	Manager string
	// Pause waits for what a stop brings about; nil leaves that to the clock.
	Pause Pause
	// PodsEnd ends a pause when the pods that it is for have ended; nil never does.
	PodsEnd PodsEnd
	// Budget bounds one pass from when it is at work; zero means no bound but the caller's.
	Budget time.Duration
	// Log gets one line for every round that did something.
	Log *zap.SugaredLogger
	// Metrics count what is done; nil counts nothing.
	Metrics *metrics.Metrics

	// Patience bounds how long a pass waits for its turn; zero is as long as its event may take.
	Patience time.Duration
	// Ward keeps what the process dies of from killing it for ever; nil does not.
	Ward *quarantine.Ward

	// places bounds the passes that are at work, and large the passes among them that have large resources; nil does not.
	places, large *places
}

// Run makes one pass for the resource of the key. A resource that is gone, or not ours to look after, is done at once;
// so is one whose last change was our own, unless the pass is firm. It waits for a place first.
func (r *Runner) Run(ctx context.Context, key event.Key, firm bool) (err error) {
	ctx, end := telemetry.Begin(ctx, "pass", trace.SpanKindInternal, attribute.String(telemetry.Key, key.String()))
	defer func() { end(err) }()
	if !r.Watches(key.Namespace) {
		return nil
	}
	k, ours := kinds.Of(key.Kind)
	if !ours {
		return fail.Invalidf("pass of "+key.String(), "UnknownKind", "kind %q is not one of ours", key.Kind)
	}
	t := target{key, k, kube.Object{Resource: k.Resource, Namespace: key.Namespace, Name: key.Name}}
	if err := r.enter(ctx, key.Namespace); err != nil {
		return fail.As(fail.Transient, "pass of "+key.String(), "Busy", err)
	}
	defer r.places.leave(key.Namespace)
	seat := &largeSeat{places: r.large, namespace: key.Namespace}
	defer seat.leave()
	ctx = kube.WithRoom(ctx, seat.room)
	if r.Budget > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeout(ctx, r.Budget)
		defer done()
	}
	visit, err := r.Ward.Begin(ctx, key.String(), 0)
	if err != nil {
		return fail.As(fail.Transient, "pass of "+key.String(), "Busy", err)
	}
	defer visit.End()
	if visit.Held() && visit.Unread() {
		r.held(ctx, key)
		return nil
	}
	started := time.Now()
	u, found, err := r.Gather.Kube.Get(ctx, t.object)
	if found {
		visit.Of(u.GetGeneration())
		defer func() { r.claimed(ctx, t.object, u, err) }()
	}
	others := found && r.Selects != nil && !r.Selects(u.GetLabels())
	if err == nil && found && !others && isCanary(t, u) {
		return r.canary(ctx, t, u, firm)
	}
	if err == nil && (!found || others || (!firm && ownWrite(u, r.Manager))) {
		return nil
	}
	if err == nil && (visit.Held() || quarantined.Is(u)) {
		r.held(ctx, key)
		_, err = r.Apply.Execute(ctx, t.object, u, quarantined.Make(quarantined.Snapshot{
			Now: r.Gather.Now(), Resource: u,
		}))
		return err
	}
	if err == nil {
		round := func(last apply.Result) (apply.Result, plan.Plan, error) { return r.round(ctx, t, last) }
		err = r.rounds(ctx, seat, t.object, round, u)
	}
	r.Metrics.Time(ctx, metrics.PassDuration, time.Since(started), metrics.Kind(key.Kind), errorType(err))
	return err
}

// held tells that nothing is done for a resource that the process has died of.
func (r *Runner) held(ctx context.Context, key event.Key) {
	telemetry.Traced(ctx, r.Log).Errorw(
		"this function died twice while it worked on this resource, so nothing is done for it until its spec changes",
		telemetry.Key, key.String(), telemetry.Reason, string(plan.ReasonQuarantined),
	)
}

// rounds makes rounds until the plan asks for no other. One that follows another at once goes on with the resource as
// that one's last write left it: the API server has just answered with it, and every write is guarded by its version.
func (r *Runner) rounds(
	ctx context.Context, seat *largeSeat, object kube.Object, round func(apply.Result) (apply.Result, plan.Plan, error),
	u *unstructured.Unstructured,
) error {
	ctx, done := context.WithCancel(ctx)
	defer done()
	last, poll, watch, ended := apply.Result{Resource: u}, polling{}, r.PodsEnd, (<-chan struct{})(nil)
	pause := r.Pause
	if pause != nil {
		pause = r.away(object.Namespace, seat)
	}
	for busy := 0; busy < maxRounds; {
		result, p, err := round(last)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(p.Effects(), begins) {
			poll.renew()
		}
		if p.Requeue == plan.RequeueNow {
			last, busy = result, busy+1
			continue
		}
		if p.Requeue == plan.RequeueOnPods && watch != nil {
			if ended, err = watch(ctx, object.Namespace, object.Name); err != nil {
				telemetry.Traced(ctx, r.Log).Warnw(
					"its pods cannot be watched, so they are polled", telemetry.Key, object.String(), telemetry.Error,
					fail.Message(err),
				)
			}
			watch = nil // once is enough
		}
		if !p.Requeue.Soon() || !poll.waits(ctx, pause, ended, p.Requeue == plan.RequeueQuick) {
			return nil
		}
		u, found, err := r.Gather.Kube.Get(ctx, object)
		if err != nil || !found {
			return err
		}
		last = apply.Result{Resource: u}
	}
	return fail.Bugf("pass of "+object.String(), "TooManyRounds", "the pass did not finish after %d rounds", maxRounds)
}

// enter waits for a place, at most as long as Patience.
func (r *Runner) enter(ctx context.Context, namespace string) error {
	if r.Patience > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeout(ctx, r.Patience)
		defer done()
	}
	return r.places.take(ctx, namespace)
}

// away is a pause of a pass that leaves its places to others meanwhile.
func (r *Runner) away(namespace string, seat *largeSeat) Pause {
	return func(ctx context.Context, d time.Duration, ended <-chan struct{}) (time.Duration, error) {
		defer seat.away()()
		r.places.leave(namespace)
		defer r.places.retake(namespace)
		return r.Pause(ctx, d, ended)
	}
}

// begins reports whether an action may begin something that ends soon. Waking the clock does not: where the status does
// not fit into etcd, each round wakes it again.
func begins(a plan.Action) bool {
	_, wakes := a.(plan.WakeClock)
	return !wakes
}

// round is gather, plan, execute, for one resource of any kind.
func (r *Runner) round(
	ctx context.Context, t target, last apply.Result,
) (apply.Result, plan.Plan, error) {
	started := time.Now()
	d, err := deciders[t.kind.Name](r, ctx, t, last)
	if err != nil {
		return apply.Result{}, plan.Plan{}, err
	}
	result, err := r.Apply.Execute(ctx, t.object, last.Resource, d.plan)
	err = fail.Discreet(err, d.hide)
	r.report(ctx, t.key, d.plan, started, err)
	r.Metrics.Count(
		ctx, metrics.Rounds, 1, metrics.Kind(t.key.Kind), metrics.Situation(string(d.plan.Situation)), errorType(err),
	)
	if err != nil {
		if d.plan.Requeue == plan.RequeueNow { // what shows the failure has written the resource since
			d.plan.Requeue = ""
		}
		return result, d.plan, d.failed(ctx, result, err)
	}
	d.done(ctx, &result)
	for _, beside := range d.plan.Beside {
		r.beside(ctx, t.key.Namespace, beside)
	}
	return result, d.plan, nil
}

// beside makes the rounds of another resource that this pass waits for. What fails there is in the log of that round,
// and the events of the resource's change bring passes of its own.
func (r *Runner) beside(ctx context.Context, namespace string, d plan.Dependant) {
	k, _ := kinds.Of(d.Kind)
	t := target{
		event.Key{Kind: d.Kind, Namespace: namespace, Name: d.Name}, k,
		kube.Object{Resource: k.Resource, Namespace: namespace, Name: d.Name},
	}
	u, found, err := r.Gather.Kube.Get(ctx, t.object)
	if err != nil || !found || r.Selects != nil && !r.Selects(u.GetLabels()) || quarantined.Is(u) {
		return
	}
	last := apply.Result{Resource: u}
	for range maxRounds {
		result, p, err := r.round(ctx, t, last)
		if err != nil || p.Requeue != plan.RequeueNow {
			return
		}
		last = result
	}
}

// errorType is the kind of an error, for metrics.
func errorType(err error) metrics.Attribute { return metrics.ErrorType(string(fail.KindOf(err))) }

// report logs a round that did something, or failed.
func (r *Runner) report(ctx context.Context, key event.Key, p plan.Plan, started time.Time, err error) {
	log := telemetry.Traced(ctx, r.Log)
	line := log.Infow
	if p.IsQuiet() && p.Status == nil && err == nil {
		line = log.Debugw
	}
	values := []any{
		telemetry.Key, key.String(), telemetry.Situation, string(p.Situation), telemetry.Rule, p.Rule, telemetry.Actions,
		p.String(),
		telemetry.DurationMS, time.Since(started).Milliseconds(),
	}
	if len(p.Notes) > 0 {
		values = append(values, "notes", p.Notes)
	}
	if err != nil {
		values = append(values, telemetry.ErrorKind, string(fail.KindOf(err)), telemetry.Error, fail.Message(err))
	}
	line("round", values...)
}
