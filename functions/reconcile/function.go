package main

import (
	"context"
	"net/http"
	"time"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/pass"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// newHandler gives the function its logger, its metrics, its way to Flink and its Brokers.
func newHandler(
	s settings.Settings, client *kube.Client, now func() time.Time, measured *metrics.Metrics,
) (http.Handler, error) {
	connect, err := gather.NewConnect(gather.Way{Proxy: s.FlinkProxy, TLS: s.FlinkTLS, Wrap: measured.Calls("flink")})
	if err != nil {
		return nil, err
	}
	log := telemetry.NewLogger(component, s.Logging)
	for _, note := range s.Notes {
		log.Warnw("a setting has no effect", telemetry.Reason, note)
	}
	return pass.NewHandler(pass.Setup{
		Settings: s, Kube: client, Flink: connect, ZooKeeper: zookeeper.Client{}, Now: now,
		Listeners: event.Publisher{URL: s.EventsBroker, Client: measured.Client("broker")},
		Control:   event.Publisher{URL: s.ControlBroker, Client: measured.Client("broker")}, Metrics: measured,
		Manager: startup.Agent(component), Pause: pass.Wait, Uploads: s.UploadsJars,
		PodsEnd: func(ctx context.Context, namespace, name string) (<-chan struct{}, error) {
			return gather.PodsEnd(ctx, client, namespace, name)
		},
		Ask: ask(log),
		Log: log, Audit: telemetry.NewLogger(audit, s.Logging),
	}), nil
}
