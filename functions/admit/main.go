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

// patience bounds a push of metrics while the API server waits for an answer.
const patience = 250 * time.Millisecond

func main() {
	if err := run(signals.NewContext(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "admit:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 2 && args[0] == "ping" {
		s, err := settings.Load()
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, pingBudget)
		defer cancel()
		return ping(ctx, args[1], pingPause, telemetry.NewLogger(component, s.Logging))
	}
	if len(args) > 0 {
		return fmt.Errorf("unknown arguments %q; usage: admit, or admit ping URL", args)
	}
	told, err := settings.LoadObservability()
	if err != nil {
		return err
	}
	measured := metrics.Start(metrics.Setup{
		Function: component, Namespace: told.Namespace, Patience: patience, Now: time.Now,
		Log: telemetry.NewLogger(component, told.Logging),
	}, told.Config)
	defer measured.Close(context.WithoutCancel(ctx))
	client, err := kube.InCluster("kn-flink-"+component, measured.Calls("kubernetes"))
	if err != nil {
		return err
	}
	source, err := settings.Open(client.NamespacesOf, time.Now)
	if err != nil {
		return err
	}
	s := source.First()
	log := telemetry.NewLogger(component, s.Logging)
	go prewarm(ctx, s.NextFunction, log)
	return serve.Until(ctx, s.Host, s.Port, &settings.Handler{
		Source: source, Log: log,
		Make: func(s settings.Settings) (http.Handler, error) {
			return newHandler(s, client, time.Now, telemetry.NewLogger(component, s.Logging), measured), nil
		},
	})
}
