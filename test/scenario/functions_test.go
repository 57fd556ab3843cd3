package scenario

import (
	"context"
	"net/http"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/pass"
	"github.com/kn-flink/kn-flink/pkg/sweep"
)

// The functions are main packages, which nobody can import: what follows is their wiring, with the model World in place of the
// cluster. Beside each function a test of its own proves the real one.

func (h *harness) connect(agent string) gather.Connect {
	h.t.Helper()
	connect, err := gather.NewConnect(h.w.Dial(agent))
	if err != nil {
		h.t.Fatal(err)
	}
	return connect
}

func everywhere(string) bool { return true }

func (h *harness) newReconcile(agent string) http.Handler {
	h.t.Helper()
	client, connect, now, log := kube.New(h.w.Dynamic(agent)), h.connect(agent), h.w.Clock.Now, h.log()
	runner := &pass.Runner{
		Gather: &gather.Gatherer{Kube: client, Flink: connect, Operator: flinkconf.NewOperator(nil), Now: now},
		Apply: &apply.Carrier{
			Kube: client, Flink: connect, Clock: clock.New(client, system, ticker, now),
			Announce: &apply.Announcer{Kube: client, Listeners: h.publisher(&h.listeners), Source: "/functions/reconcile", Now: now, Log: log},
		},
		Watches: everywhere, Log: log,
	}
	flights := &pass.Flights{}
	handle := func(ctx context.Context, e cloudevents.Event) error {
		key, err := event.KeyOf(e)
		if err != nil {
			return err
		}
		return flights.Do(ctx, key.String(), func(ctx context.Context) error { return runner.Run(ctx, key) })
	}
	return event.Receiver{Handle: handle, Log: log, Budget: pass.Budget}
}

func (h *harness) newObserve(agent string) http.Handler {
	h.t.Helper()
	client, now, log := kube.New(h.w.Dynamic(agent)), h.w.Clock.Now, h.log()
	observer := &sweep.Observer{
		Gather:  &gather.Gatherer{Kube: client, Flink: h.connect(agent), Operator: flinkconf.NewOperator(nil), Brief: true, Now: now},
		Clock:   clock.New(client, system, ticker, now),
		Control: h.publisher(&h.control), Watches: everywhere, Log: log,
	}
	flights := &pass.Flights{}
	handle := func(ctx context.Context, e cloudevents.Event) error {
		switch e.Type() {
		case event.TypePing:
			return flights.Do(ctx, "tick", observer.Tick)
		case event.TypeShard:
			var shard event.Shard
			if err := e.DataAs(&shard); err != nil {
				return err
			}
			return observer.Shard(ctx, shard)
		}
		key, err := event.KeyOf(e)
		if err != nil {
			return err
		}
		return flights.Do(ctx, key.String(), func(ctx context.Context) error { return observer.Look(ctx, key.Namespace, key.Name) })
	}
	return event.Receiver{Handle: handle, Log: log, Budget: pass.Budget}
}
