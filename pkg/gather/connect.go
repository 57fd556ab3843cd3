package gather

import (
	"net/url"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// NewConnect makes the Connect of a process: one transport, so that connections are shared by all clusters. A nil dialer is the
// network's own; a nil proxy is none.
func NewConnect(dialer flinkrest.Dialer, proxy *url.URL) (Connect, error) {
	transport, err := flinkrest.NewTransport(flinkrest.TransportOptions{Dialer: dialer, Proxy: proxy})
	if err != nil {
		return nil, err
	}
	return func(e plan.Endpoint) (*flinkrest.Client, error) {
		return flinkrest.New(flinkrest.Options{BaseURL: e.URL, Transport: transport, Timeout: e.Timeout})
	}, nil
}
