package main

import (
	"context"
	"net/http"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/pass"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// newHandler wires the function.
func newHandler(s settings.Settings, client *kube.Client, now func() time.Time) (http.Handler, error) {
	log := telemetry.NewLogger(component, s.Logging)
	connect, err := gather.NewConnect(nil)
	if err != nil {
		return nil, err
	}
	runner := &pass.Runner{
		Gather: &gather.Gatherer{Kube: client, Flink: connect, Operator: s.Operator, LogFiles: s.LogFiles, Now: now},
		Apply: &apply.Carrier{
			Kube: client, Flink: connect, Clock: clock.New(client, s.Namespace, s.Clock, now),
			Announce: &apply.Announcer{
				Kube: client, Listeners: event.Publisher{URL: s.EventsBroker}, Source: "/functions/" + component, Now: now, Log: log,
			},
		},
		Watches: s.Watches,
		Log:     log,
	}
	return event.Receiver{Handle: handle(runner.Run), Log: log, Budget: pass.Budget}, nil
}

// handle runs the pass that an event asks for. Events that name no object of ours stay wrong however often they come.
func handle(run func(context.Context, event.Key) error) event.Handle {
	flights := &pass.Flights{}
	return func(ctx context.Context, e cloudevents.Event) error {
		key, err := event.KeyOf(e)
		if err != nil {
			return fail.As(fail.Invalid, "read event", "UnknownEvent", err)
		}
		return flights.Do(ctx, key.String(), func(ctx context.Context) error { return run(ctx, key) })
	}
}
