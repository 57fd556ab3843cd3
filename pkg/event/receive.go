package event

import (
	"context"
	"fmt"
	"net/http"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// maxEvent bounds an event's body. Ours are below a kilobyte; an ApiServerSource in Reference mode sends less than two.
const maxEvent = 64 << 10

// Budget bounds what the functions do with one event, a pass or a look. It lies well below the timeoutSeconds of their
// Services.
const Budget = 20 * time.Second

// QueueBudget bounds how long a pass waits for its turn. With Budget it lies below the timeoutSeconds of reconcile.
const QueueBudget = 30 * time.Second

// UploadBudget is that of the function that uploads jars, and UploadQueueBudget how long a pass of it waits for its
// turn. Together they end before its Service gives the event up (300 s).
const (
	UploadBudget      = 285 * time.Second
	UploadQueueBudget = 10 * time.Second
)

// Handle is what a function does with one event. Its error decides the answer by the table of package fail.
type Handle func(ctx context.Context, e cloudevents.Event) error

// Receiver answers the POSTs of a Trigger. The answer has no body: a body that is no event would be taken for a failed
// delivery.
//
//	malformed event          400   not sent again
//	handled, or nothing to do 200
//	an error                  as package fail says for its kind
type Receiver struct {
	// Handle is called once for each event.
	Handle Handle
	// Log gets one line for every event that was not handled.
	Log *zap.SugaredLogger
	// Keys check what one function sends another; nil accepts all.
	Keys *Keys
	// Budget bounds one call of Handle; zero means no bound but the caller's.
	Budget time.Duration
}

// ServeHTTP reads one event in binary or structured mode and hands it on.
func (r Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	request.Body = http.MaxBytesReader(w, request.Body, maxEvent)
	e, err := cehttp.NewEventFromHTTPRequest(request)
	if err == nil {
		err = e.Validate()
	}
	if err != nil {
		r.Log.Warnw("malformed event, dropped", telemetry.Error, fail.Message(err))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	ctx := telemetry.WithTrace(request.Context(), traceparent(*e, request), e.Source(), e.ID())
	if r.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Budget)
		defer cancel()
	}
	ctx, end := telemetry.Begin(
		ctx, "process "+e.Type(), trace.SpanKindConsumer, attribute.String("cloudevents.event_id", e.ID()),
		attribute.String("cloudevents.event_source", e.Source()), attribute.String("cloudevents.event_subject", e.Subject()),
	)
	err = r.call(ctx, *e)
	end(err)
	if err != nil {
		r.report(ctx, *e, err)
	}
	w.WriteHeader(fail.ResultOf(err).HTTP)
}

func (r Receiver) call(ctx context.Context, e cloudevents.Event) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fail.Recovered("handle event "+e.ID(), value)
			telemetry.Traced(ctx, r.Log).Errorw(
				"a handler panicked", telemetry.EventID, e.ID(), telemetry.Error, fmt.Sprint(value), zap.StackSkip("stack", 2),
			)
		}
	}()
	if err := r.Keys.Check(e); err != nil {
		return err
	}
	return r.Handle(ctx, e)
}

// traceparent is that of the event, which a Broker hands on, or else that of the request.
func traceparent(e cloudevents.Event, request *http.Request) string {
	if text, _ := e.Extensions()[extensionTrace].(string); text != "" {
		return text
	}
	return request.Header.Get(extensionTrace)
}

func (r Receiver) report(ctx context.Context, e cloudevents.Event, err error) {
	kind := fail.KindOf(err)
	log := telemetry.Traced(ctx, r.Log)
	line := log.Infow
	switch fail.Of(kind).Log {
	case fail.LevelError:
		line = log.Errorw
	case fail.LevelDebug:
		line = log.Debugw
	}
	line("event not handled to its end", telemetry.EventID, e.ID(), telemetry.EventType, e.Type(), telemetry.Key,
		e.Subject(),
		telemetry.ErrorKind, string(kind), telemetry.Error, fail.Message(err))
}
