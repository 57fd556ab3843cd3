package telemetry

import (
	"context"
	"fmt"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// Calls makes a span of each request that goes through a transport to a peer, in a context that has a tracer. It tells
// the path, not the query: that may be secret.
func Calls(peer string, next http.RoundTripper) http.RoundTripper {
	return Around(next, func(r *http.Request) (context.Context, func(*http.Response, error)) {
		ctx, end := Begin(
			r.Context(), r.Method, trace.SpanKindClient,
			attribute.String("peer.service", peer), attribute.String("http.request.method", r.Method),
			attribute.String("server.address", r.URL.Hostname()), attribute.String("url.path", r.URL.Path),
		)
		return ctx, func(response *http.Response, err error) {
			if err != nil {
				end(err)
				return
			}
			if response.StatusCode >= http.StatusBadRequest {
				err = fmt.Errorf("HTTP status %d", response.StatusCode)
			}
			end(err, attribute.Int("http.response.status_code", response.StatusCode))
		}
	})
}

// Around is a transport that has begin told of each request, and what begin gives of how it ended: up to the headers of
// the answer. The request goes on in the context that begin gives.
func Around(
	next http.RoundTripper, begin func(*http.Request) (context.Context, func(*http.Response, error)),
) http.RoundTripper {
	return &around{next, begin}
}

type around struct {
	next  http.RoundTripper
	begin func(*http.Request) (context.Context, func(*http.Response, error))
}

// RoundTrip is that of the transport below.
func (a *around) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, end := a.begin(r)
	response, err := a.next.RoundTrip(r.WithContext(ctx))
	end(response, err)
	return response, err
}

// WrappedRoundTripper is for client-go, which looks for the transport below.
func (a *around) WrappedRoundTripper() http.RoundTripper { return a.next }
