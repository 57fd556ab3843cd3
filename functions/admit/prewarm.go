package main

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// prewarmBudget is more than any cold start takes.
const prewarmBudget = 20 * time.Second

// prewarm has the function at the URL started. Most of what admit is woken for is a change that reconcile is woken for
// a second later, by the event of it; their pods start beside each other this way. Nothing depends on it: the event
// wakes reconcile, too. With an empty URL it does nothing.
func prewarm(ctx context.Context, url string, log *zap.SugaredLogger) {
	if url == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, prewarmBudget)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil) // no event: it is answered and forgotten
	if err == nil {
		var answer *http.Response
		if answer, err = http.DefaultClient.Do(request); err == nil {
			err = answer.Body.Close()
		}
	}
	if err != nil {
		log.Debugw("the next function could not be started ahead of its event", telemetry.Error, fail.Message(err))
	}
}
