package event

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"github.com/cloudevents/sdk-go/v2/binding"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// Publisher posts events to one address, in binary mode. The zero value posts nothing. Safe for concurrent use.
type Publisher struct {
	// URL is the Broker's ingress. Empty drops every event, for an installation without listeners.
	URL string
	// Client is the HTTP client; nil is http.DefaultClient.
	Client *http.Client
	// Keys sign what one function sends another; nil signs nothing.
	Keys *Keys
	// Token is the file with the token that the receiver wants (OIDC of Knative Eventing); empty sends none. It is read
	// for each event, as the kubelet renews it.
	Token string
}

// extensionTrace is the extension of CloudEvents that hands a trace on, and W3C's header.
const extensionTrace = "traceparent"

// traced is the event with the trace of the context.
func traced(ctx context.Context, e cloudevents.Event) cloudevents.Event {
	parent := telemetry.Traceparent(ctx, e.ID())
	if parent == "" {
		return e
	}
	e = e.Clone()
	e.SetExtension(extensionTrace, parent)
	return e
}

// Publish posts one event once and reports whether the receiver took it. The caller's context bounds the wait; nothing
// is retried.
func (p Publisher) Publish(ctx context.Context, e cloudevents.Event) error {
	if p.URL == "" {
		return nil
	}
	e = p.Keys.Sign(traced(ctx, e))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, nil)
	if err != nil {
		return fmt.Errorf("post event %s to %s: %w", e.ID(), p.URL, err)
	}
	if err := cehttp.WriteRequest(ctx, binding.ToMessage(&e), request); err != nil {
		return fmt.Errorf("encode event %s: %w", e.ID(), err)
	}
	if p.Token != "" {
		token, err := os.ReadFile(p.Token)
		if err != nil {
			return fail.As(fail.Transient, "post event "+e.ID(), "NoToken", err)
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	client := p.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return fail.As(fail.Transient, "post event "+e.ID(), "BrokerUnreachable", err)
	}
	defer func() {
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 4096)) // so that the connection is kept
		_ = response.Body.Close()
	}()
	if response.StatusCode >= 300 {
		return fail.Transientf("post event "+e.ID(), "BrokerRefused", "type %s to %s: HTTP status %d", e.Type(), p.URL,
			response.StatusCode)
	}
	return nil
}
