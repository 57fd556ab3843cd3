package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

const (
	// pingPause lies between two tries: the function may not be Ready yet, or its name not known.
	pingPause = 2 * time.Second
	// pingTry bounds one try, cold start included.
	pingTry = 30 * time.Second
	// pingBudget bounds all tries. An image pull on a slow node takes minutes.
	pingBudget = 5 * time.Minute
)

// ping sends the event of a PingSource to the URL until it is answered well, and fails with the last answer when ctx
// ends.
func ping(ctx context.Context, url string, pause time.Duration, log *zap.SugaredLogger) error {
	host, _ := os.Hostname() // only makes the id tell where it came from
	e, err := event.Make(
		event.TypePing, event.Head{ID: host, Source: "/apis/batch/v1/jobs/" + webhooks, Time: time.Now()}, struct{}{},
	)
	if err != nil {
		return err
	}
	for {
		try, cancel := context.WithTimeout(ctx, pingTry)
		err := event.Publisher{URL: url}.Publish(try, e)
		cancel()
		if err == nil {
			log.Infow("the ping succeeded", "url", url)
			return nil
		}
		log.Infow("the ping failed, trying again", "url", url, telemetry.Error, err.Error())
		select {
		case <-ctx.Done():
			return fmt.Errorf("gave up: %w", err)
		case <-time.After(pause):
		}
	}
}
