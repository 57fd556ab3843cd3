package main

import (
	"fmt"
	"os"
	"time"

	"knative.dev/pkg/signals"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/serve"
	"github.com/kn-flink/kn-flink/pkg/settings"
)

const component = "reconcile"

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
	client, err := kube.InCluster("kn-flink-" + component)
	if err != nil {
		return err
	}
	handler, err := newHandler(s, client, time.Now)
	if err != nil {
		return err
	}
	return serve.Until(signals.NewContext(), s.Host, s.Port, handler)
}
