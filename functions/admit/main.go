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
	"github.com/kn-flink/kn-flink/pkg/telemetry"
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
		return ping(ctx, args[1], pingPause, telemetry.NewLogger(component, s.Logging, nil))
	}
	if len(args) > 0 {
		return fmt.Errorf("unknown arguments %q; usage: admit, or admit ping URL", args)
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
