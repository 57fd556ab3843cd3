package main

import (
	"context"
	"net/http"
	"sync"
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

// warmFor is how long a function that was started is there for sure: less than the window after which Knative takes it
// away (config/knative/305-reconcile-jars.yaml).
const warmFor = 20 * time.Second

// starter has the function at a URL started ahead of its event, once in warmFor. Safe for concurrent use.
type starter struct {
	url string
	now func() time.Time
	log *zap.SugaredLogger

	mu   sync.Mutex
	last time.Time
}

// start returns at once.
func (s *starter) start(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); now.Sub(s.last) >= warmFor {
		s.last = now
		go prewarm(context.WithoutCancel(ctx), s.url, s.log)
	}
}
