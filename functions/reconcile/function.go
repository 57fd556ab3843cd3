package main

import (
	"context"
	"net/http"
	"time"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/pass"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// newHandler gives the function its logger, its metrics, its way to Flink and its Brokers.
func newHandler(f *startup.Function, s settings.Settings, now func() time.Time) (http.Handler, error) {
	connect, err := gather.NewConnect(gather.Way{Proxy: s.FlinkProxy, TLS: s.FlinkTLS, Wrap: f.Calls("flink")})
	if err != nil {
		return nil, err
	}
	log := f.Logger(component, s.Logging)
	for _, note := range s.Notes {
		log.Warnw("a setting has no effect", telemetry.Reason, note)
	}
	asker := extension.Asker{HTTP: f.HTTP("extension")}
	return pass.NewHandler(pass.Setup{
		Settings: s, Kube: f.Client, Flink: connect, ZooKeeper: zookeeper.Client{}, Now: now,
		Listeners: event.Publisher{URL: s.EventsBroker, Client: f.HTTP("broker"), Token: s.EventsToken},
		Control: event.Publisher{
			URL: s.ControlBroker, Client: f.HTTP("broker"), Token: s.ControlToken,
			Keys: &event.Keys{Dir: s.EventKeyDir, Now: now},
		}, Metrics: f.Metrics,
		Manager: startup.Agent(component), Pause: pass.Wait, Uploads: s.UploadsJars,
		PodsEnd: func(ctx context.Context, namespace, name string) (<-chan struct{}, error) {
			return gather.PodsEnd(ctx, f.Client, namespace, name)
		},
		Ask: ask(asker, log), Query: asker.Query,
		Log: log, Audit: f.Logger(audit, s.Logging), Ward: f.Ward,
	}), nil
}
