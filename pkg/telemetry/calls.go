package telemetry

import (
	"fmt"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// Calls makes a span of each request that goes through a transport to a peer, in a context that has a tracer.
func Calls(peer string, next http.RoundTripper) http.RoundTripper { return &calls{peer, next} }

type calls struct {
	peer string
	next http.RoundTripper
}

// RoundTrip spans up to the headers of the answer. It tells the path, not the query: that may be secret.
func (c *calls) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, end := Begin(
		r.Context(), r.Method, trace.SpanKindClient,
		attribute.String("peer.service", c.peer), attribute.String("http.request.method", r.Method),
		attribute.String("server.address", r.URL.Hostname()), attribute.String("url.path", r.URL.Path),
	)
	response, err := c.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		end(err)
		return response, err
	}
	failed := error(nil)
	if response.StatusCode >= http.StatusBadRequest {
		failed = fmt.Errorf("HTTP status %d", response.StatusCode)
	}
	end(failed, attribute.Int("http.response.status_code", response.StatusCode))
	return response, err
}

// WrappedRoundTripper is for client-go, which looks for the transport below.
func (c *calls) WrappedRoundTripper() http.RoundTripper { return c.next }
