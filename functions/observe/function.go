package main

import (
	"net/http"
	"time"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/sweep"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// newHandler gives the function its logger, its metrics, its way to Flink and its Broker.
func newHandler(
	s settings.Settings, client *kube.Client, now func() time.Time, measured *metrics.Metrics,
) (http.Handler, error) {
	connect, err := gather.NewConnect(gather.Way{Proxy: s.FlinkProxy, TLS: s.FlinkTLS, Wrap: measured.Calls("flink")})
	if err != nil {
		return nil, err
	}
	return sweep.NewHandler(sweep.Setup{
		Settings: s, Kube: client, Flink: connect, ZooKeeper: zookeeper.Client{},
		Control: event.Publisher{URL: s.ControlBroker, Client: measured.Client("broker")}, Now: now,
		Metrics: measured, Post: extension.Asker{}.Post,
		Log: telemetry.NewLogger(component, s.Logging),
	}), nil
}
