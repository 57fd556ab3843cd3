package sweep

import (
	"context"
	"net/http"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/coalesce"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/quarantine"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// Setup is what the function that looks stands on. Every field must be set, but for what says otherwise.
type Setup struct {
	// Settings are those of the installation.
	Settings settings.Settings
	// Kube is the client of the function.
	Kube *kube.Client
	// Flink connects to clusters.
	Flink gather.Connect
	// ZooKeeper reads high-availability data that is kept there.
	ZooKeeper gather.Nodes
	// Control takes the events that ask for passes, and the shards.
	Control event.Publisher
	// Now is the clock.
	Now func() time.Time
	// Log is the function's logger.
	Log *zap.SugaredLogger
	// Metrics are the function's; nil measures nothing.
	Metrics *metrics.Metrics
	// Post asks the plug-ins of the autoscaler; nil asks none.
	Post Post
	// PagesApart is how far apart the pages of a sweep are sent; zero: at once.
	PagesApart time.Duration
	// Ward keeps what the process dies of from killing it for ever; nil does not.
	Ward *quarantine.Ward
}

// NewHandler is the whole function: it looks at what an event speaks of, and asks for the passes that are needed.
func NewHandler(s Setup) http.Handler {
	observer := &Observer{
		Gather: &gather.Gatherer{
			Kube: s.Kube, Flink: s.Flink, ZooKeeper: s.ZooKeeper, Operator: s.Settings.Operator,
			LogFiles: s.Settings.LogFiles, Brief: true, Now: s.Now, Validators: s.Settings.Extensions.Validators,
			GateServices: s.Settings.Extensions.Gates,
		},
		Kube:    s.Kube,
		Clock:   clock.New(s.Kube, s.Settings.Namespace, s.Settings.Clock, s.Now),
		Control: s.Control,
		Watches: s.Settings.Watches, Namespaces: s.Settings.Namespaces, Labels: s.Settings.LabelSelector,
		Selects: s.Settings.Selects,
		Log:     s.Log, Metrics: s.Metrics, Post: s.Post, PagesApart: s.PagesApart,
		Ward: s.Ward,
	}
	observer.Clock.Interval = s.Settings.Operator.ReconcileInterval()
	return s.Metrics.Handler(event.Receiver{
		Handle: handle(observer), Log: s.Log, Budget: shardFor, Keys: s.Control.Keys,
	})
}

// handle leads each event to what it asks for. Deployments are looked at one at a time each.
func handle(o *Observer) event.Handle {
	inFlight := &coalesce.Group{}
	return func(ctx context.Context, e cloudevents.Event) error {
		if e.Type() != event.TypeShard {
			within := event.Budget
			if e.Type() == event.TypePing {
				within = tickFor
			}
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, within)
			defer cancel()
		}
		switch {
		case e.Type() == event.TypePing:
			return tick(ctx, o, inFlight, credible(e.Time(), o.Gather.Now()))
		case e.Type() == event.TypeShard:
			return shard(ctx, o, e)
		}
		key, err := event.KeyOf(e)
		if err != nil {
			return fail.As(fail.Invalid, "read event", "UnknownEvent", err)
		}
		gone := event.IsDelete(e)
		return inFlight.Do(ctx, key.String(), gone, func(ctx context.Context, gone bool) error {
			return o.Look(ctx, key.Namespace, key.Name, gone)
		})
	}
}

// tick does what a tick asks for. One that may sweep has its own time for that, and its answer is its own: whether the
// Broker sends it again is what tells a sweep whose pod has died. The others collapse like passes do.
func tick(ctx context.Context, o *Observer, inFlight *coalesce.Group, at time.Time) error {
	if !o.turns.ticked(at, o.Gather.Now()) {
		telemetry.Traced(ctx, o.Log).Debugw("a tick has come too soon after another")
		return nil
	}
	if isFirst(at, o.Clock.Every()) {
		return o.Tick(ctx, at)
	}
	return inFlight.Do(ctx, "tick", true, func(ctx context.Context, _ bool) error {
		return o.Tick(ctx, o.turns.newestTick())
	})
}

// skew is how far ahead of ours the clock of another node may be.
const skew = 10 * time.Second

// credible is a time that an event tells, or now if it tells none, or one that no clock can have had.
func credible(told, now time.Time) time.Time {
	if told.IsZero() || told.After(now.Add(skew)) {
		return now
	}
	return told
}

// shard looks at a page until shardFor is over, counted from when it was sent: the Broker sends a page again that was
// not looked at to its end, and the next sweep sends it anyway. Where nothing is fast enough, pages of old sweeps would
// keep those of the newest from being looked at, and each other.
//
//	sent             then
//	in time          looked at, in the time that is left
//	shardFor ago     nothing: it has come too late
//	at no time       looked at, in shardFor
func shard(ctx context.Context, o *Observer, e cloudevents.Event) error {
	var page event.Shard
	if err := e.DataAs(&page); err != nil {
		return fail.As(fail.Invalid, "read shard event "+e.ID(), "Malformed", err)
	}
	if now := o.Gather.Now(); !page.Sweep.IsZero() {
		o.turns.heard(credible(page.Sweep, now))
	}
	if !e.Time().IsZero() {
		left := shardFor - o.Gather.Now().Sub(e.Time())
		if left <= 0 {
			telemetry.Traced(ctx, o.Log).Debugw("a page has come too late", telemetry.EventID, e.ID())
			return nil
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	}
	return o.Shard(ctx, page)
}
