package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Idle connections are kept briefly and in small numbers: a fleet has thousands of endpoints, and a pod that looks at
// one page of it must not collect a socket for each. One page is looked at with a few calls per cluster, close
// together.
const (
	idleConnections        = 128
	idleConnectionsPerHost = 2
	idleTimeout            = 20 * time.Second
)

// TransportOptions say how the connections of a shared transport are made.
type TransportOptions struct {
	// Dialer opens the connections. Nil: a net.Dialer.
	Dialer Dialer
	// Proxy is what they go through, as http.Transport takes it. Nil: none.
	Proxy *url.URL
	// TLS holds the certificates for https. Nil: the system's roots and no client certificate.
	TLS *TLSOptions
}

// NewTransport makes a transport that the clients of any number of clusters may share; it pools connections by scheme,
// host and port. It speaks HTTP/1.1, which is all that Flink speaks, and ignores the proxy variables of the
// environment: Flink is inside the cluster. It fails on certificates that cannot be used.
func NewTransport(o TransportOptions) (*http.Transport, error) {
	config, err := o.TLS.config()
	if err != nil {
		return nil, err
	}
	dial := o.Dialer
	if dial == nil {
		dial = (&net.Dialer{Timeout: DefaultTimeout}).DialContext
	}
	var proxy func(*http.Request) (*url.URL, error)
	if o.Proxy != nil {
		proxy = http.ProxyURL(o.Proxy)
	}
	return &http.Transport{
		Proxy:               proxy,
		DialContext:         dial,
		TLSClientConfig:     config,
		TLSHandshakeTimeout: DefaultTimeout,
		MaxIdleConns:        idleConnections,
		MaxIdleConnsPerHost: idleConnectionsPerHost,
		IdleConnTimeout:     idleTimeout,
		DisableCompression:  true,
		// An empty map keeps HTTP/2 from being negotiated.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}, nil
}

// reason tells why no answer came, without the local port and the DNS server that the standard library's texts name:
// the same failure must always give the same text.
func (c *Conn) reason(ctx context.Context, err error) string {
	var (
		name *net.DNSError
		op   *net.OpError
		wait net.Error
	)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return "the request was cancelled"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &wait) && wait.Timeout():
		return fmt.Sprintf("no response from %s in time", c.base.Host)
	case errors.As(err, &name):
		return fmt.Sprintf("lookup %s: %s", name.Name, name.Err)
	case cutOff(err):
		return fmt.Sprintf("%s closed the connection before it had responded", c.base.Host)
	case errors.As(err, &op):
		return fmt.Sprintf("%s %s: %s", op.Op, c.base.Host, op.Err)
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return fmt.Sprintf("%s: %s", c.base.Host, err)
}

// cutOff recognises the many faces of one thing; which of them shows depends on timing.
func cutOff(err error) bool {
	for _, face := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, face) {
			return true
		}
	}
	// net/http does not export this one.
	return strings.Contains(err.Error(), "server closed idle connection")
}
