package startup

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/quarantine"
	"github.com/kn-flink/kn-flink/pkg/serve"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/telemetry/records"
)

// Function is one that can begin to listen. Begin makes it.
type Function struct {
	// Client is the way to the API server.
	Client *kube.Client
	// Metrics are the function's; nil when none are asked for.
	Metrics *metrics.Metrics
	// Records are its spans and log lines that are pushed; nil when none are asked for.
	Records *records.Records
	// Settings are those of the start; what they select of namespaces is not known yet.
	Settings settings.Settings
	// Ward keeps what the process dies of from killing it for ever; nil where it has no directory for that.
	Ward *quarantine.Ward
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
	log := telemetry.NewLogger(name, told.Logging, nil)
	f := &Function{
		Metrics: metrics.Start(metrics.Setup{
			Function: name, Namespace: told.Namespace, Patience: patience, Now: time.Now, Log: log,
		}, told.Config),
		Records: records.Start(records.Setup{
			Function: name, Namespace: told.Namespace, Patience: patience, Now: time.Now, Log: log,
		}, told.Config),
	}
	client, err := kube.InCluster(Agent(name), f.Calls("kubernetes"))
	if err != nil {
		return nil, err
	}
	source, err := settings.Open(client.NamespacesOf, time.Now)
	if err != nil {
		return nil, err
	}
	f.Client, f.Settings, f.source = client, source.First(), source
	f.Log = f.Logger(name, f.Settings.Logging)
	if dir := f.Settings.WorkDir; dir != "" {
		if f.Ward, err = quarantine.Open(dir); err != nil { // it works without
			f.Log.Warnw("what this process dies of will not be known", telemetry.Error, err.Error())
		}
	}
	return f, nil
}

// Logger makes a logger of the function, whose lines are pushed, too, where that is asked for; see telemetry.NewLogger.
func (f *Function) Logger(component string, config map[string]string) *zap.SugaredLogger {
	return telemetry.NewLogger(component, config, f.Records.Core)
}

// Calls measures the requests to a peer, and makes spans of them, as far as that is asked for.
func (f *Function) Calls(peer string) func(http.RoundTripper) http.RoundTripper {
	measured := f.Metrics.Calls(peer)
	return func(next http.RoundTripper) http.RoundTripper {
		if f.Records != nil {
			next = telemetry.Calls(peer, next)
		}
		return measured(next)
	}
}

// HTTP is a client for a peer, by Calls.
func (f *Function) HTTP(peer string) *http.Client {
	return &http.Client{Transport: f.Calls(peer)(http.DefaultTransport)}
}

// Listen answers until ctx ends, and pushes what is left then. build makes the function's handler of the
// settings, and again of others when they change; tell is told of them before each request, nil is not.
func (f *Function) Listen(
	ctx context.Context, build func(settings.Settings) (http.Handler, error), tell func(context.Context, settings.Now),
) error {
	defer f.Metrics.Close(context.WithoutCancel(ctx))
	defer f.Records.Close(context.WithoutCancel(ctx))
	return serve.Until(ctx, f.Settings.Host, f.Settings.Port, f.Records.Handler(&settings.Handler{
		Source: f.source, Log: f.Log, Make: build, Tell: tell,
	}))
}
