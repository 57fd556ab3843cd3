package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"knative.dev/pkg/signals"

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
	s, err := settings.Load()
	if err != nil {
		return err
	}
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
	handler, err := newHandler(s, client, time.Now, measured)
	if err != nil {
		return err
	}
	return serve.Until(signals.NewContext(), s.Host, s.Port, handler)
}
