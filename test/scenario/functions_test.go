package scenario

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/pass"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/sweep"
)

// installation is what the functions would read from their environment.
var installation = settings.Settings{Namespace: system, Clock: ticker, Operator: flinkconf.NewOperator(nil)}

// connect leads to the model's JobManagers. A random run goes without a connection between.
func (h *harness) connect(agent string) gather.Connect {
	h.t.Helper()
	if h.direct {
		way := &http.Transport{}
		way.RegisterProtocol("http", sender{h, agent, h.w.Transport(agent)})
		return func(e plan.Endpoint) (*flinkrest.Client, error) {
			return flinkrest.New(flinkrest.Options{BaseURL: e.URL, Transport: way, Timeout: e.Timeout})
		}
	}
	connect, err := gather.NewConnect(gather.Way{Dialer: h.w.Dial(agent), TLS: h.tls})
	if err != nil {
		h.t.Fatal(err)
	}
	return connect
}

// kube is a way to the model's API server.
func (h *harness) kube(agent string) *kube.Client {
	switch {
	case h.direct:
		return kube.New(direct{server: h.w.Kube, agent: agent})
	case h.heard != nil:
		return h.heard.kube(h.t, h.w.Config(agent), agent)
	}
	return kube.New(h.w.Dynamic(agent))
}

// newReconcile is the function that runs passes, with the model World in place of the cluster.
func (h *harness) newReconcile(agent string) http.Handler { return h.passing(agent, false) }

// passing is newReconcile, or the same as reconcile-jars, which uploads.
func (h *harness) passing(agent string, uploads bool) http.Handler {
	h.t.Helper()
	return pass.NewHandler(pass.Setup{
		Settings: h.installed, Kube: h.kube(agent), Flink: h.connect(agent), ZooKeeper: h.w.ZooKeeper(agent),
		Ask: h.ask, Metrics: h.measured,
		Listeners: h.publisher(&h.listeners), Control: h.publisher(&h.control), Now: h.w.Clock.Now, Log: h.log(),
		Audit:   h.audit,
		Manager: agent, Uploads: uploads, OpenJar: h.jars.open,
		Pause: func(ctx context.Context, d time.Duration, _ <-chan struct{}) (time.Duration, error) {
			h.w.Clock.Advance(d)
			h.w.Settle()
			return d, ctx.Err()
		},
	})
}

// newObserve is the function that looks.
func (h *harness) newObserve(agent string) http.Handler {
	h.t.Helper()
	return sweep.NewHandler(sweep.Setup{
		Settings: h.installed, Kube: h.kube(agent), Flink: h.connect(agent), ZooKeeper: h.w.ZooKeeper(agent),
		Metrics: h.measured, Post: extension.Asker{}.Post,
		Control: h.publisher(&h.control), Now: h.w.Clock.Now, Log: h.log(),
	})
}

// sender is the way of one client to Flink. A fault of the product that a test plants is in what the product sends.
type sender struct {
	h     *harness
	agent string
	send  http.RoundTripper
}

// RoundTrip sends a request, or what a faulty product would send in its place.
func (s sender) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.h.sends == nil || !strings.HasPrefix(s.agent, "reconcile") {
		return s.send.RoundTrip(r)
	}
	return s.h.sends(r, s.send.RoundTrip)
}
