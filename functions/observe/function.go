package main

import (
	"net/http"
	"time"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
	"github.com/kn-flink/kn-flink/pkg/sweep"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// newHandler gives the function its logger, its metrics, its way to Flink and its Broker.
func newHandler(f *startup.Function, s settings.Settings, now func() time.Time) (http.Handler, error) {
	connect, err := gather.NewConnect(gather.Way{Proxy: s.FlinkProxy, TLS: s.FlinkTLS, Wrap: f.Calls("flink")})
	if err != nil {
		return nil, err
	}
	return sweep.NewHandler(sweep.Setup{
		Settings: s, Kube: f.Client, Flink: connect, ZooKeeper: zookeeper.Client{},
		Control: event.Publisher{
			URL: s.ControlBroker, Client: f.HTTP("broker"), Token: s.ControlToken,
			Keys: &event.Keys{Dir: s.EventKeyDir, Now: now},
		}, Now: now,
		Metrics: f.Metrics, Post: extension.Asker{HTTP: f.HTTP("plugin")}.Post,
		Log: f.Logger(component, s.Logging), PagesApart: sweep.PagesApart, Ward: f.Ward,
	}), nil
}
