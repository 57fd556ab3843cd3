package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Client posts to one endpoint. Safe for concurrent use.
type Client struct {
	to   Endpoint
	http *http.Client
}

// NewClient makes a client. It does not connect. It fails on certificates that cannot be used.
func NewClient(to Endpoint) (*Client, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, DisableCompression: true}
	if to.CAFile != "" {
		text, err := os.ReadFile(to.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read the certificates for the endpoint for %s: %w", to.Signal, err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("there is no certificate in %s", to.CAFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return &Client{to: to, http: &http.Client{Transport: transport}}, nil
}

// ErrRefused is an answer that the same message would get again: it is not to be sent once more.
var ErrRefused = errors.New("refused for good")

// Send posts what was measured, once.
func (c *Client) Send(ctx context.Context, measured []*metricspb.ResourceMetrics) error {
	return c.post(ctx, &metricspb.MetricsData{ResourceMetrics: measured})
}

// SendSpans posts spans, once.
func (c *Client) SendSpans(ctx context.Context, spans *tracepb.ResourceSpans) error {
	return c.post(ctx, &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{spans}})
}

// SendLogs posts log lines, once.
func (c *Client) SendLogs(ctx context.Context, lines *logspb.ResourceLogs) error {
	return c.post(ctx, &logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{lines}})
}

func (c *Client) post(ctx context.Context, message proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return fmt.Errorf("%w: encode %s: %w", ErrRefused, c.to.Signal, err)
	}
	if c.to.Compress {
		if body, err = packed(body); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.to.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.to.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("push %s: %w", c.to.Signal, err)
	}
	for name, value := range c.to.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	if c.to.Compress {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("push %s: %w", c.to.Signal, err)
	}
	defer func() {
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 4096)) // so that the connection is kept
		_ = response.Body.Close()
	}()
	switch {
	case response.StatusCode < 300:
		return nil
	case response.StatusCode == http.StatusTooManyRequests, response.StatusCode >= 500:
		return fmt.Errorf("push %s: HTTP status %d", c.to.Signal, response.StatusCode)
	}
	return fmt.Errorf("push %s: %w: HTTP status %d", c.to.Signal, ErrRefused, response.StatusCode)
}

func packed(body []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(body)
	err = errors.Join(err, w.Close()) // before the bytes are taken
	return out.Bytes(), err
}
