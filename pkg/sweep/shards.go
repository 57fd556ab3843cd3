package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

const (
	// shardsAtOnce is how many pages a pod has in memory at the same time. More are taken and wait: an event is small.
	shardsAtOnce = 2
	// lookers look at a page at the same time: nearly all of a look is waiting for Flink.
	lookers = 32
	// soon is how long a resource may keep one of them. What takes longer is looked at after the others, all of it at
	// the same time and in the time that Flink's client has, so that slow JobManagers keep nobody waiting.
	soon = 2 * time.Second
	// patient are those that look at what takes longer.
	patient = 128
	// shardFor bounds a shard, with its wait and however often it comes. One that takes longer is of no use: the next
	// sweep sends it again.
	shardFor = 90 * time.Second
	// tickFor bounds a tick. It asks for the rows of one page after the other; one that does not come to the end is sent
	// again by the Broker, maybe to a pod that does not know which pages were sent, and those are looked at twice.
	tickFor = 60 * time.Second
	// pacedFor is how long the pages of a sweep are sent apart; those that come after are sent at once, as the tick has to
	// come to its end.
	pacedFor = 30 * time.Second
)

// PagesApart is how far apart the pages of a sweep are sent. At once they would be looked at in any order, each some
// time before or after its turn a minute ago, and by more pods than that takes; what else happens would wait for them.
const PagesApart = 500 * time.Millisecond

// spread posts a page to whichever pod takes it, when it is its turn.
func (o *Observer) spread(ctx context.Context, k kind, query kube.Query, page int, all *fleet) error {
	if wait := all.turn(o.PagesApart) - time.Since(all.began); all.looks && wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fail.As(fail.Transient, "send a page of a sweep", "Busy", ctx.Err())
		}
	}
	return o.send(ctx, all, fmt.Sprintf("%s/%s/%d", k.Name, query.Namespace, page), event.Shard{
		Kind: k.Name, Namespace: query.Namespace, Continue: query.Continue, Limit: query.Limit, Snapshots: k.Sweep.Snapshots,
	})
}

// send posts a shard of a sweep, unless the tick counts only.
func (o *Observer) send(ctx context.Context, all *fleet, which string, s event.Shard) error {
	if !all.looks {
		return nil
	}
	now := o.Gather.Now()
	s.Sweep = all.tick
	e, err := event.Make(event.TypeShard, event.Head{
		ID: fmt.Sprintf("shard-%d-%s", now.UnixMilli(), which), Source: source, Time: now,
	}, s)
	if err != nil {
		return err
	}
	if err := o.Control.Publish(ctx, e); err != nil {
		return err
	}
	all.sent++
	return nil
}

// Shard looks at one page of a sweep that another request spread. It fails if the page could not be read. A resource
// that could not be looked at is told, and looked at by the next sweep: the Broker would send the whole page again.
func (o *Observer) Shard(ctx context.Context, s event.Shard) (err error) {
	began := time.Now()
	defer func() { o.measure(ctx, metrics.ShardDuration, began, metrics.Kind(s.Kind), err) }()
	k, ours := kindOf(s.Kind)
	if !ours {
		return fail.Invalidf("look at a shard", "UnknownKind", "kind %q is not one of ours", s.Kind)
	}
	if err := o.mayRead(k, s); err != nil {
		return err
	}
	leave, err := o.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if s.Finished {
		return o.lookAtFinished(ctx, k, s.Namespace)
	}
	query := o.narrowed(kube.Query{Resource: k.Resource, Namespace: s.Namespace, Continue: s.Continue, Limit: s.Limit})
	for {
		read, err := o.lookAtPart(ctx, k, query, s.Snapshots, leave)
		if err != nil {
			return err
		}
		if query.Limit -= read.count; query.Limit <= 0 || read.next == "" {
			return nil
		}
		query.Continue = read.next
	}
}

// part is how much of a page was read: all of it, unless it is too large in bytes. What follows begins at next.
type part struct {
	count int64
	next  string
}

// lookAtPart looks at a page, or at as much of it as is read at once.
func (o *Observer) lookAtPart(
	ctx context.Context, k kind, query kube.Query, snapshots bool, leave func(),
) (part, error) {
	if k.items == nil {
		list, err := o.Gather.Kube.List(ctx, query)
		if err != nil {
			return part{}, err
		}
		read := part{int64(len(list.Items)), list.GetContinue()}
		_ = o.lookAtAll(ctx, k, find{}, query.Namespace, list)
		return read, nil
	}
	items, read, err := k.items(o, ctx, query, snapshots)
	if err != nil && len(items) == 0 {
		return part{}, err
	}
	if err != nil {
		telemetry.Traced(ctx, o.Log).Infow("a part of a page was not read", telemetry.Error, fail.Message(err))
	}
	if read.count < query.Limit && read.next != "" {
		leave = nil // the rest of the page comes
	}
	_ = o.lookAtEach(ctx, items, leave)
	return read, nil
}

// mayRead refuses what no sweep of this installation asks for: a namespace that is not watched, all of them where some
// are, or another size of a page.
func (o *Observer) mayRead(k kind, s event.Shard) error {
	all := len(o.Namespaces) == 0
	if (s.Namespace == "" && !all) || (s.Namespace != "" && o.Watches != nil && !o.Watches(s.Namespace)) {
		return fail.Invalidf("look at a shard", "NotWatched", "namespace %q is not watched", s.Namespace)
	}
	if !s.Finished && (s.Limit < 1 || s.Limit > k.Sweep.Page) {
		return fail.Invalidf("look at a shard", "WrongPage", "a page of %d, want 1 to %d", s.Limit, k.Sweep.Page)
	}
	return nil
}

// enter waits until there is room for one more page. What it answers with makes the room free; it may be called twice.
func (o *Observer) enter(ctx context.Context) (leave func(), err error) {
	o.mu.Lock()
	if o.places == nil {
		o.places = make(chan struct{}, shardsAtOnce)
	}
	places := o.places
	o.mu.Unlock()
	select {
	case places <- struct{}{}:
		return sync.OnceFunc(func() { <-places }), nil
	case <-ctx.Done():
		return nil, fail.As(fail.Transient, "look at a shard", "Busy", ctx.Err())
	}
}

// item is one resource to look at.
type item struct {
	key  event.Key
	look func(ctx context.Context) error
	// generation is that of the resource; quarantined is whether its status says that it is not worked on.
	generation  int64
	quarantined bool
}

// visited looks at one, unless this process dies of it.
func (o *Observer) visited(ctx context.Context, one item) error {
	if one.quarantined {
		return nil
	}
	visit, err := o.Ward.Begin(ctx, one.key.String(), one.generation)
	if err != nil {
		return err
	}
	defer visit.End()
	if visit.Held() {
		telemetry.Traced(ctx, o.Log).Errorw(
			"this function died twice while it looked at this resource, so it is not looked at until its spec changes",
			telemetry.Key, one.key.String(), telemetry.Reason, string(plan.ReasonQuarantined),
		)
		return nil
	}
	return one.look(ctx)
}

// lookAtEach looks at resources, and at those that take longer than soon once more, after the others and in the time
// that is left; before that it calls quick, unless it is nil. One that cannot be looked at does not hold up the others.
func (o *Observer) lookAtEach(ctx context.Context, items []item, quick func()) error {
	var mu sync.Mutex
	var failures []error
	var slow []item
	round := func(items []item, at int, each time.Duration) {
		var group errgroup.Group
		group.SetLimit(at)
		for i := range items {
			one := items[i]
			items[i] = item{} // what it holds may go when it has been looked at
			group.Go(func() error {
				inner, done := ctx, func() {}
				if each > 0 {
					inner, done = context.WithTimeout(ctx, each)
				}
				defer done()
				traced, end := telemetry.Begin(
					inner, "look", trace.SpanKindInternal, attribute.String(telemetry.Key, one.key.String()),
				)
				err := o.visited(traced, one)
				end(err)
				mu.Lock()
				defer mu.Unlock()
				again := each > 0 && inner.Err() != nil && ctx.Err() == nil
				if !again {
					o.Metrics.Count(ctx, metrics.Looks, 1, metrics.Kind(one.key.Kind), errorType(err))
				}
				switch {
				case again: // whatever it says: what it left out at its end it may not call an error
					slow = append(slow, one)
				case err == nil:
				default:
					telemetry.Traced(ctx, o.Log).Infow(
						"look failed", telemetry.Key, one.key.String(), telemetry.Error, fail.Message(err),
					)
					failures = append(failures, err)
				}
				return nil
			})
		}
		_ = group.Wait() // failures are collected above
	}
	round(items, lookers, soon)
	if quick != nil {
		quick()
	}
	round(slow, patient, 0)
	return errors.Join(failures...)
}
