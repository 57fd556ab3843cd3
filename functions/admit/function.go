package main

import (
	"context"
	"net/http"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/admission"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/certs"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
)

const (
	// component names the function in logs and audit logs.
	component = "admit"
	// renewPath takes the daily ping.
	renewPath = "/renew"
	// renewBudget bounds one renewal: six requests of the API server as a rule.
	renewBudget = 20 * time.Second
	// tlsSecret and webhooks name the objects of config/knative/820-gateway.yaml and 830-webhooks.yaml; a test compares
	// them.
	tlsSecret = "flink-admit-tls"
	webhooks  = "flink-admit"
)

// newHandler is the whole function. Whatever is not a renewal is a review, or is told so.
func newHandler(f *startup.Function, s settings.Settings, now func() time.Time) http.Handler {
	log := f.Logger(component, s.Logging)
	judges := admission.Judges{
		Lookup: admission.Lookup{
			Reader: f.Client, Resolver: admission.DNS, Proxied: admission.ProxiedByEnvironment,
		},
		Operator: s.Operator,
	}
	jars := &starter{url: s.JarsFunction, now: now, log: log}
	reviews := admission.Handler{
		Judge: func(ctx context.Context, r *admissionv1.AdmissionRequest) (*apis.FieldError, error) {
			if r.Kind.Kind == v1beta1.KindFlinkSessionJob && (r.DryRun == nil || !*r.DryRun) {
				jars.start(ctx)
			}
			return judges.Judge(ctx, r)
		},
		Watches: s.Watches, Selects: s.Selects, Extensions: s.Extensions,
		Asker: extension.Asker{HTTP: f.HTTP("extension")}, Log: log, Metrics: f.Metrics,
	}
	renewals := event.Receiver{
		Handle: renewal(
			certs.Renewer{
				API: f.Client, Namespace: s.Namespace, Secret: tlsSecret, Webhooks: webhooks, Beside: extension.Name, Now: now,
			}, log,
		),
		Log:    log,
		Budget: renewBudget,
	}
	return f.Metrics.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == renewPath {
			renewals.ServeHTTP(w, r)
			return
		}
		reviews.ServeHTTP(w, r)
	}))
}

// renewal renews on a ping. Any failure, a missing right included, is answered with 503, so that the ping comes again.
func renewal(r certs.Renewer, log *zap.SugaredLogger) event.Handle {
	return func(ctx context.Context, e cloudevents.Event) error {
		if e.Type() != event.TypePing {
			return fail.Invalidf(
				"renew the certificate", "WrongEvent", "type %q is not %s; send pings here", e.Type(), event.TypePing,
			)
		}
		result, err := r.Renew(ctx)
		if err != nil {
			log.Errorw("the certificate of the admission webhook was not renewed", "error", fail.Message(err))
			return fail.As(fail.Transient, "renew the certificate", "NotRenewed", err)
		}
		line := log.Debugw
		if result.Renewed != "" || result.Trusted > 0 {
			line = log.Infow
		}
		line(
			"the certificate of the admission webhook is good", "renewed", result.Renewed, "trusted", result.Trusted,
			"not_after", result.NotAfter,
		)
		return nil
	}
}
