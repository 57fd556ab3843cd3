package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"knative.dev/pkg/signals"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/serve"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

const component = "observe"

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
	client, err := kube.InCluster("kn-flink-"+component, measured.Calls("kubernetes"))
	if err != nil {
		return err
	}
	source, err := settings.Open(client.NamespacesOf, time.Now)
	if err != nil {
		return err
	}
	s := source.First()
	return serve.Until(signals.NewContext(), s.Host, s.Port, &settings.Handler{
		Source: source, Log: telemetry.NewLogger(component, s.Logging),
		Make: func(s settings.Settings) (http.Handler, error) { return newHandler(s, client, time.Now, measured) },
	})
}
