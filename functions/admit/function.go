package main

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/admission"
	"github.com/kn-flink/kn-flink/pkg/certs"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

const (
	// component names the function in logs and audit logs.
	component = "admit"
	// tlsSecret and webhooks name the objects of config/knative/820-gateway.yaml and 830-webhooks.yaml; a test compares
	// them.
	tlsSecret = "flink-admit-tls"
	webhooks  = "flink-admit"
	// eventKey names the Secret that config/knative/300-reconcile.yaml and its like mount.
	eventKey = "flink-event-key"
)

// calls are the first parts of the paths by the names of the webhooks that call them.
var calls = map[string]string{
	"validationwebhook.flink.apache.org": admission.ValidatePath,
	"mutationwebhook.flink.apache.org":   admission.MutatePath,
	extension.ValidatorsWebhook:          admission.ValidatorsPath,
	extension.MutatorsWebhook:            admission.MutatorsPath,
}

// newHandler is the whole function: it answers reviews under the paths that only the API server knows.
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
			if k, _ := kinds.Of(r.Kind.Kind); k.Uploads && (r.DryRun == nil || !*r.DryRun) {
				jars.start(ctx)
			}
			return judges.Judge(ctx, r)
		},
		Watches: s.Watches, Selects: s.Selects, Extensions: s.Extensions,
		Asker: extension.Asker{HTTP: f.HTTP("extension")}, Log: log, Metrics: f.Metrics,
	}
	paths := &certs.Paths{API: f.Client, Namespace: s.Namespace, Secret: tlsSecret, Now: now}
	return f.Metrics.Handler(gate(paths, admission.Limit(reviews), log))
}

// gate passes on what is asked under an open path, with the first part of it. All else is not found, before a byte of
// its body is read, and whatever it asks for: the gateway is reached by more than the API server.
func gate(paths *certs.Paths, reviews http.Handler, log *zap.SugaredLogger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first, open, err := paths.Open(r.Context(), r.URL.Path)
		if err != nil {
			log.Errorw("a request cannot be answered", telemetry.Error, err.Error())
		}
		if !open {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusNotFound)
			return
		}
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = first, ""
		reviews.ServeHTTP(w, r)
	})
}
