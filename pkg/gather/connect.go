package gather

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/settings"
)

// Way is how a process reaches JobManagers. The zero value is the network's own, with the system's roots for TLS.
type Way struct {
	// Dialer opens the connections; nil is the network's own.
	Dialer flinkrest.Dialer
	// Proxy is what they go through; nil is none.
	Proxy *url.URL
	// TLS is for clusters with security.ssl.rest.enabled.
	TLS settings.FlinkTLS
	// Wrap has all requests go through what it makes of their transport; nil: through the transport itself.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// NewConnect makes the Connect of a process: two transports, one for http and one for https, so that connections are
// shared by all clusters. Certificates that cannot be used fail the clusters that need them and no others.
func NewConnect(w Way) (Connect, error) {
	plain, err := flinkrest.NewTransport(flinkrest.TransportOptions{Dialer: w.Dialer, Proxy: w.Proxy})
	if err != nil {
		return nil, err
	}
	safe := &secured{way: w}
	return func(e plan.Endpoint) (*flinkrest.Client, error) {
		o := flinkrest.Options{BaseURL: e.URL, Transport: plain, Wrap: w.Wrap, Timeout: e.Timeout}
		if strings.HasPrefix(e.URL, "https:") {
			transport, err := safe.get()
			if err != nil {
				return nil, err
			}
			o.Transport = transport
		}
		return flinkrest.New(o)
	}, nil
}

// secured is the transport for https. It is made when it is first needed, and anew when the mounted Secret has changed:
// reading five small files is nothing beside a request, and a renewed certificate then counts without a restart.
type secured struct {
	way Way

	mu        sync.Mutex
	options   *flinkrest.TLSOptions
	transport *http.Transport
}

// get is the transport for the certificates as they are now. Its errors are flinkrest.ErrTLS.
func (s *secured) get() (*http.Transport, error) {
	options, err := s.way.read()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", flinkrest.ErrTLS, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.transport != nil && reflect.DeepEqual(options, s.options) {
		return s.transport, nil
	}
	made, err := flinkrest.NewTransport(flinkrest.TransportOptions{
		Dialer: s.way.Dialer, Proxy: s.way.Proxy, TLS: options,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", flinkrest.ErrTLS, err)
	}
	if s.transport != nil {
		s.transport.CloseIdleConnections()
	}
	s.options, s.transport = options, made
	return made, nil
}

func (w Way) read() (*flinkrest.TLSOptions, error) {
	options, err := flinkrest.TLSFromDir(w.TLS.Dir, w.TLS.Password)
	if err != nil || !w.TLS.AnyName {
		return options, err
	}
	if options == nil {
		options = &flinkrest.TLSOptions{}
	}
	options.AnyServerName = true
	return options, nil
}
