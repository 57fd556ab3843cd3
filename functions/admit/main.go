package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"knative.dev/pkg/signals"

	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
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
	if len(args) == 1 && args[0] == "renew" {
		return renewInCluster(ctx)
	}
	if len(args) > 0 {
		return fmt.Errorf("unknown arguments %q; usage: admit, or admit renew", args)
	}
	f, err := startup.Begin(component, patience)
	if err != nil {
		return err
	}
	go prewarm(ctx, f.Settings.NextFunction, f.Log)
	return f.Listen(ctx, func(s settings.Settings) (http.Handler, error) {
		return newHandler(f, s, time.Now), nil
	}, nil)
}
