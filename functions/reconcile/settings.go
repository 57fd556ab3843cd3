package main

import (
	"context"
	"strings"

	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"

	"github.com/kn-flink/kn-flink/pkg/announce"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// tell has the API server ask about what extensions of the settings judge, and then tells what changed: settings are
// not told as accepted before that is so.
func tell(
	news *announce.Announcer, hooks *extension.Webhooks, log *zap.SugaredLogger,
) func(context.Context, settings.Now) {
	return func(ctx context.Context, now settings.Now) {
		had := false
		for _, text := range now.Accepted {
			had = had || strings.Contains(text, key.ValidatorPrefix) || strings.Contains(text, key.MutatorPrefix)
		}
		if err := hooks.Keep(ctx, now.Settings.Extensions, now.Settings.SelectingLabels(), had); err != nil {
			log.Warnw("the webhooks of validators and mutators were not set", telemetry.Error, fail.Message(err))
			return
		}
		news.Tell(ctx, now)
	}
}

// ask asks validators, and logs their warnings: there is nobody to be shown them.
func ask(
	by extension.Asker, log *zap.SugaredLogger,
) func(context.Context, []flinkconf.Extension, *admissionv1.AdmissionRequest) extension.Said {
	return func(
		ctx context.Context, validators []flinkconf.Extension, r *admissionv1.AdmissionRequest,
	) extension.Said {
		said := by.Validate(ctx, validators, r)
		if len(said.Warnings) > 0 {
			log.Warnw(
				"validators warn", telemetry.Key, r.Namespace+"/"+r.Kind.Kind+"/"+r.Name, "warnings", said.Warnings,
			)
		}
		return said
	}
}
