package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"knative.dev/pkg/signals"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

func main() {
	if err := run(signals.NewContext(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "admit:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	s, err := settings.Load()
	if err != nil {
		return err
	}
	log := telemetry.NewLogger(component, s.Logging)
	switch {
	case len(args) == 2 && args[0] == "ping":
		ctx, cancel := context.WithTimeout(ctx, pingBudget)
		defer cancel()
		return ping(ctx, args[1], pingPause, log)
	case len(args) > 0:
		return fmt.Errorf("unknown arguments %q; usage: admit, or admit ping URL", args)
	}
	client, err := kube.InCluster("kn-flink-" + component)
	if err != nil {
		return err
	}
	return serve(ctx, s.Port, newHandler(s, client, time.Now, log))
}

// serve answers until ctx ends. Knative sends SIGTERM only when the last request has been answered, so the end is quick.
func serve(ctx context.Context, port int, handler http.Handler) error {
	server := &http.Server{
		Addr:    ":" + strconv.Itoa(port),
		Handler: handler,
		// Nobody is slow on purpose behind the queue proxy; a broken connection must not stay for ever.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
