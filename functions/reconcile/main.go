package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"knative.dev/pkg/signals"

	"github.com/kn-flink/kn-flink/pkg/announce"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/serve"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

const component = "reconcile"

// agent is the user agent towards the API server, and so the name of this function's writes in managedFields.
const agent = "kn-flink-" + component

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, component+":", err)
		os.Exit(1)
	}
}

func run() error {
	told, err := settings.LoadObservability()
	if err != nil {
		return err
	}
	measured := metrics.Start(metrics.Setup{
		Function: component, Namespace: told.Namespace, Now: time.Now, Log: telemetry.NewLogger(component, told.Logging),
	}, told.Config)
	defer measured.Close(context.Background())
	client, err := kube.InCluster(agent, measured.Calls("kubernetes"))
	if err != nil {
		return err
	}
	source, err := settings.Open(client.NamespacesOf, time.Now)
	if err != nil {
		return err
	}
	s := source.First()
	log := telemetry.NewLogger(component, s.Logging)
	news := &announce.Announcer{API: client, Namespace: s.Namespace, Component: component, Now: time.Now, Log: log}
	handler := &settings.Handler{
		Source: source, Log: log,
		Make: func(s settings.Settings) (http.Handler, error) { return newHandler(s, client, time.Now, measured) },
	}
	if !s.UploadsJars { // one function tells
		hooks := &extension.Webhooks{
			API: client, Username: "system:serviceaccount:" + s.Namespace + ":" + component, Now: time.Now,
		}
		handler.Tell = tell(news, hooks, log)
	}
	return serve.Until(signals.NewContext(), s.Host, s.Port, handler)
}
