package main

import (
	"context"
	"net/http"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/pass"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/sweep"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// newHandler wires the function.
func newHandler(s settings.Settings, client *kube.Client, now func() time.Time) (http.Handler, error) {
	log := telemetry.NewLogger(component, s.Logging)
	connect, err := gather.NewConnect(nil)
	if err != nil {
		return nil, err
	}
	observer := &sweep.Observer{
		Gather:  &gather.Gatherer{Kube: client, Flink: connect, Operator: s.Operator, LogFiles: s.LogFiles, Brief: true, Now: now},
		Clock:   clock.New(client, s.Namespace, s.Clock, now),
		Control: event.Publisher{URL: s.ControlBroker},
		Watches: s.Watches, Namespaces: s.Namespaces,
		Log: log,
	}
	return event.Receiver{Handle: handle(observer), Log: log, Budget: pass.Budget}, nil
}

// handle leads each event to what it asks for. Ticks collapse like passes do: a tick that comes while one is looked through adds one
// more look. Deployments are looked at one at a time each.
func handle(o *sweep.Observer) event.Handle {
	flights := &pass.Flights{}
	return func(ctx context.Context, e cloudevents.Event) error {
		switch {
		case e.Type() == event.TypePing:
			return flights.Do(ctx, "tick", func(ctx context.Context) error { return o.Tick(ctx) })
		case e.Type() == event.TypeShard:
			var shard event.Shard
			if err := e.DataAs(&shard); err != nil {
				return fail.As(fail.Invalid, "read shard event "+e.ID(), "Malformed", err)
			}
			return o.Shard(ctx, shard)
		}
		key, err := event.KeyOf(e)
		if err != nil {
			return fail.As(fail.Invalid, "read event", "UnknownEvent", err)
		}
		return flights.Do(ctx, key.String(), func(ctx context.Context) error { return o.Look(ctx, key.Namespace, key.Name) })
	}
}
