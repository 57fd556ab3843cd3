package main

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/certs"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

const (
	// renewPause lies between two tries: the webhook configurations may not be there yet.
	renewPause = 2 * time.Second
	// renewTry bounds one renewal: eight requests of the API server as a rule.
	renewTry = 20 * time.Second
	// renewBudget bounds all tries.
	renewBudget = 5 * time.Minute
)

// renewInCluster renews with the rights of this pod. It fails outside of a pod.
func renewInCluster(ctx context.Context) error {
	told, err := settings.LoadObservability()
	if err != nil {
		return err
	}
	client, err := kube.InCluster(startup.Agent(component), nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, renewBudget)
	defer cancel()
	log := telemetry.NewLogger(component, told.Logging, nil)
	return renew(ctx, renewer(client, told.Namespace, time.Now), renewPause, log)
}

func renewer(api certs.API, namespace string, now func() time.Time) certs.Renewer {
	return certs.Renewer{
		API: api, Namespace: namespace, Secret: tlsSecret, Webhooks: settings.Named(namespace, webhooks),
		Beside: settings.Named(namespace, extension.Name), EventKey: eventKey, Calls: calls, Now: now,
	}
}

// renew renews the certificate and the path, tries again after a failure, and fails with the last one when ctx ends.
func renew(ctx context.Context, r certs.Renewer, pause time.Duration, log *zap.SugaredLogger) error {
	for {
		try, cancel := context.WithTimeout(ctx, renewTry)
		result, err := r.Renew(try)
		cancel()
		if err == nil {
			log.Infow(
				"the certificate of the admission webhook is good", "renewed", result.Renewed, "moved", result.Moved,
				"written", result.Written, "not_after", result.NotAfter,
			)
			return nil
		}
		log.Errorw("the certificate of the admission webhook was not renewed", telemetry.Error, fail.Message(err))
		select {
		case <-ctx.Done():
			return fmt.Errorf("renew the certificate of the admission webhook: %w", err)
		case <-time.After(pause):
		}
	}
}
