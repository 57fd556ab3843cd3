package startup

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/serve"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// Function is one that can begin to listen. Begin makes it.
type Function struct {
	// Client is the way to the API server.
	Client *kube.Client
	// Metrics are the function's; nil when none are asked for.
	Metrics *metrics.Metrics
	// Settings are those of the start; what they select of namespaces is not known yet.
	Settings settings.Settings
	// Log logs as the settings of the start say.
	Log *zap.SugaredLogger

	source *settings.Source
}

// Agent is the user agent of a function towards the API server, and so the name of its writes in managedFields.
func Agent(function string) string { return "kn-flink-" + function }

// Begin makes a function of this name. patience bounds a push of metrics while somebody waits for an answer; zero is
// the endpoint's own timeout. It fails outside of a pod, and for settings that cannot be read.
func Begin(name string, patience time.Duration) (*Function, error) {
	told, err := settings.LoadObservability()
	if err != nil {
		return nil, err
	}
	measured := metrics.Start(metrics.Setup{
		Function: name, Namespace: told.Namespace, Patience: patience, Now: time.Now,
		Log: telemetry.NewLogger(name, told.Logging),
	}, told.Config)
	client, err := kube.InCluster(Agent(name), measured.Calls("kubernetes"))
	if err != nil {
		return nil, err
	}
	source, err := settings.Open(client.NamespacesOf, time.Now)
	if err != nil {
		return nil, err
	}
	first := source.First()
	return &Function{
		Client: client, Metrics: measured, Settings: first, Log: telemetry.NewLogger(name, first.Logging), source: source,
	}, nil
}

// Listen answers until ctx ends, and pushes what metrics are left then. build makes the function's handler of the
// settings, and again of others when they change; tell is told of them before each request, nil is not.
func (f *Function) Listen(
	ctx context.Context, build func(settings.Settings) (http.Handler, error), tell func(context.Context, settings.Now),
) error {
	defer f.Metrics.Close(context.WithoutCancel(ctx))
	return serve.Until(ctx, f.Settings.Host, f.Settings.Port, &settings.Handler{
		Source: f.source, Log: f.Log, Make: build, Tell: tell,
	})
}
