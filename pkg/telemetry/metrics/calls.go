package metrics

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Calls measures the requests that go through a transport to a peer. Without metrics it is the transport itself.
func (m *Metrics) Calls(peer string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		if m == nil {
			return next
		}
		return &calls{m: m, peer: peer, next: next}
	}
}

type calls struct {
	m    *Metrics
	peer string
	next http.RoundTripper
}

// RoundTrip measures up to the headers of the answer.
func (c *calls) RoundTrip(r *http.Request) (*http.Response, error) {
	started := time.Now()
	response, err := c.next.RoundTrip(r)
	attributes := []Attribute{keyPeer.String(c.peer), keyMethod.String(r.Method)}
	switch {
	case err == nil:
		code := strconv.Itoa(response.StatusCode)
		attributes = append(attributes, keyStatusCode.String(code))
		if response.StatusCode >= http.StatusBadRequest {
			attributes = append(attributes, ErrorType(code))
		}
	case errors.Is(err, context.DeadlineExceeded):
		attributes = append(attributes, ErrorType("timeout"))
	case errors.Is(err, context.Canceled):
		attributes = append(attributes, ErrorType("canceled"))
	default:
		attributes = append(attributes, ErrorType("no_answer"))
	}
	c.m.Time(r.Context(), CallDuration, time.Since(started), attributes...)
	return response, err
}

// WrappedRoundTripper is for client-go, which looks for the transport below.
func (c *calls) WrappedRoundTripper() http.RoundTripper { return c.next }
