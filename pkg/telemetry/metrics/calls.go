package metrics

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// Calls measures the requests that go through a transport to a peer. Without metrics it is the transport itself.
func (m *Metrics) Calls(peer string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		if m == nil {
			return next
		}
		return telemetry.Around(next, func(r *http.Request) (context.Context, func(*http.Response, error)) {
			started := time.Now()
			return r.Context(), func(response *http.Response, err error) {
				attributes := append(ended(response, err), keyPeer.String(peer), keyMethod.String(r.Method))
				m.Time(r.Context(), CallDuration, time.Since(started), attributes...)
			}
		})
	}
}

// ended is how a request ended.
func ended(response *http.Response, err error) []Attribute {
	switch {
	case err == nil:
		code := strconv.Itoa(response.StatusCode)
		attributes := []Attribute{keyStatusCode.String(code)}
		if response.StatusCode >= http.StatusBadRequest {
			attributes = append(attributes, ErrorType(code))
		}
		return attributes
	case errors.Is(err, context.DeadlineExceeded):
		return []Attribute{ErrorType("timeout")}
	case errors.Is(err, context.Canceled):
		return []Attribute{ErrorType("canceled")}
	}
	return []Attribute{ErrorType("no_answer")}
}
