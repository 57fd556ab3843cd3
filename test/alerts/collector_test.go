package alerts

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// startCollector starts an OpenTelemetry Collector as docs/reference/metrics.md configures one, between a Prometheus and a
// backend of records. end ends it: what it has not sent yet goes out.
func startCollector(t *testing.T, prometheus, records string) (address string, end func()) {
	t.Helper()
	address = free(t)
	here := fmt.Sprintf(`
receivers: {otlp: {protocols: {http: {endpoint: %q}}}}
exporters: {otlp_http/metrics: {endpoint: %q}, otlp_http/records: {endpoint: %q}}
service: {telemetry: {metrics: {level: none}}}
`, address, prometheus, records)
	core, lines := observer.New(zapcore.WarnLevel)
	collector, err := otelcol.NewCollector(otelcol.CollectorSettings{
		BuildInfo: component.NewDefaultBuildInfo(), DisableGracefulShutdown: true,
		Factories: func() (otelcol.Factories, error) {
			receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
			exporters, err2 := otelcol.MakeFactoryMap[exporter.Factory](otlphttpexporter.NewFactory())
			return otelcol.Factories{
				Receivers: receivers, Exporters: exporters, Telemetry: otelconftelemetry.NewFactory(),
			}, errors.Join(err, err2)
		},
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs:              []string{"yaml:" + documented(t, "collector.yml"), "yaml:" + here},
			ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
		}},
		LoggingOptions: []zap.Option{zap.WrapCore(func(zapcore.Core) zapcore.Core { return core })},
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(context.WithoutCancel(t.Context())) }()
	within(t, "the Collector runs", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("the Collector ended: %v", err)
		default:
		}
		return collector.GetState() == otelcol.StateRunning
	})
	end = sync.OnceFunc(func() {
		collector.Shutdown()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		for _, line := range lines.All() {
			t.Errorf("the Collector says %s %v", line.Message, line.ContextMap())
		}
	})
	t.Cleanup(end)
	return address, end
}

// record is a span or a log line as a backend gets it.
type record struct {
	function, instance, name, trace, id, above string
	attributes                                 map[string]any
}

// backend takes spans and log lines.
type backend struct {
	t  *testing.T
	mu sync.Mutex
	// spans are by their ID: one that came twice is one.
	spans map[string]record
	lines []record
}

// ServeHTTP takes one message.
func (b *backend) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, err := gzip.NewReader(r.Body)
	if err != nil {
		b.t.Error(err)
		return
	}
	text, err := io.ReadAll(body)
	switch {
	case err != nil:
	case r.URL.Path == "/v1/traces":
		err = b.takeSpans(text)
	case r.URL.Path == "/v1/logs":
		err = b.takeLines(text)
	default:
		err = errors.New("nothing is taken at " + r.URL.Path)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// of is a record of a resource.
func of(r pcommon.Resource) record {
	text := func(name string) string {
		value, _ := r.Attributes().Get(name)
		return value.AsString()
	}
	return record{function: text("service.namespace") + "/" + text("service.name"), instance: text("service.instance.id")}
}

func (b *backend) takeSpans(text []byte) error {
	message := ptraceotlp.NewExportRequest()
	if err := message.UnmarshalProto(text); err != nil {
		return err
	}
	for _, resource := range message.Traces().ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, s := range scope.Spans().All() {
				r := of(resource.Resource())
				r.name, r.trace, r.attributes = s.Name(), s.TraceID().String(), s.Attributes().AsRaw()
				r.id, r.above = s.SpanID().String(), s.ParentSpanID().String()
				b.spans[r.id] = r
			}
		}
	}
	return nil
}

func (b *backend) takeLines(text []byte) error {
	message := plogotlp.NewExportRequest()
	if err := message.UnmarshalProto(text); err != nil {
		return err
	}
	for _, resource := range message.Logs().ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, l := range scope.LogRecords().All() {
				r := of(resource.Resource())
				r.name, r.trace, r.attributes = l.Body().AsString(), l.TraceID().String(), l.Attributes().AsRaw()
				b.lines = append(b.lines, r)
			}
		}
	}
	return nil
}

// newBackend starts one.
func newBackend(t *testing.T) (b *backend, url string) {
	t.Helper()
	b = &backend{t: t, spans: map[string]record{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	return b, server.URL
}

// span is the one of a function and a name; the test ends without one.
func (b *backend) span(function, name string) record {
	b.t.Helper()
	for _, s := range b.spans {
		if s.function == "flink-system/"+function && strings.HasPrefix(s.name, name) {
			return s
		}
	}
	b.t.Fatalf("%s has no span %q", function, name)
	return record{}
}
