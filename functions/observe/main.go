package main

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"knative.dev/pkg/signals"

	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
)

const component = "observe"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, component+":", err)
		os.Exit(1)
	}
}

func run() error {
	f, err := startup.Begin(component, 0)
	if err != nil {
		return err
	}
	return f.Listen(signals.NewContext(), func(s settings.Settings) (http.Handler, error) {
		return newHandler(f, s, time.Now)
	}, nil)
}
