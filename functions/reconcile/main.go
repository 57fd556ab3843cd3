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
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
)

const component = "reconcile"

// audit names the log of changes: loglevel.audit is its level.
const audit = "audit"

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
	}, tells(f))
}

// tells is who tells of the settings; nil is nobody: of the two services of this function one tells.
func tells(f *startup.Function) func(context.Context, settings.Now) {
	s := f.Settings
	if s.UploadsJars {
		return nil
	}
	news := &announce.Announcer{API: f.Client, Namespace: s.Namespace, Component: component, Now: time.Now, Log: f.Log}
	hooks := &extension.Webhooks{
		API: f.Client, Username: "system:serviceaccount:" + s.Namespace + ":" + component, Now: time.Now,
		Own: settings.Named(s.Namespace, extension.Own), Name: settings.Named(s.Namespace, extension.Name),
	}
	return tell(news, hooks, f.Log)
}
