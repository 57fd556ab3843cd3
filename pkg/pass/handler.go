package pass

import (
	"context"
	"net/http"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/settings"
)

// Setup is what the function that runs passes stands on. Every field must be set.
type Setup struct {
	// Settings are those of the installation.
	Settings settings.Settings
	// Kube is the client of the function.
	Kube *kube.Client
	// Flink connects to clusters.
	Flink gather.Connect
	// Listeners takes the events for users' Triggers.
	Listeners event.Publisher
	// Now is the clock.
	Now func() time.Time
	// Log is the function's logger.
	Log *zap.SugaredLogger
}

// NewHandler is the whole function: it runs the pass that an event asks for.
func NewHandler(s Setup) http.Handler {
	runner := &Runner{
		Gather: &gather.Gatherer{Kube: s.Kube, Flink: s.Flink, Operator: s.Settings.Operator, LogFiles: s.Settings.LogFiles, Now: s.Now},
		Apply: &apply.Carrier{
			Kube: s.Kube, Flink: s.Flink, Clock: clock.New(s.Kube, s.Settings.Namespace, s.Settings.Clock, s.Now),
			Announce: &apply.Announcer{Kube: s.Kube, Listeners: s.Listeners, Source: "/functions/reconcile", Now: s.Now, Log: s.Log},
		},
		Watches: s.Settings.Watches,
		Log:     s.Log,
	}
	return event.Receiver{Handle: handle(runner.Run), Log: s.Log, Budget: Budget}
}

// handle runs the pass that an event asks for. Events that name no object of ours stay wrong however often they come.
func handle(run func(context.Context, event.Key) error) event.Handle {
	flights := &Flights{}
	return func(ctx context.Context, e cloudevents.Event) error {
		key, err := event.KeyOf(e)
		if err != nil {
			return fail.As(fail.Invalid, "read event", "UnknownEvent", err)
		}
		return flights.Do(ctx, key.String(), func(ctx context.Context) error { return run(ctx, key) })
	}
}
