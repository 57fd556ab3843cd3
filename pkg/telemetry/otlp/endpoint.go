package otlp

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Signal is one of the three things that are pushed, by OpenTelemetry's name.
type Signal string

// The signals.
const (
	Metrics Signal = "metrics"
	Traces  Signal = "traces"
	Logs    Signal = "logs"
)

// keys are those of ConfigMap config-observability: of metrics and traces as Knative's own components have them, of
// logs ours.
func (s Signal) keys() (protocol, endpoint string) {
	prefix := string(s)
	if s == Traces {
		prefix = "tracing"
	}
	return prefix + "-protocol", prefix + "-endpoint"
}

// path is what a base URL gets.
func (s Signal) path() string { return "/v1/" + string(s) }

// protobuf is the one protocol that is spoken.
const protobuf = "http/protobuf"

// defaultTimeout bounds one push.
const defaultTimeout = time.Second

// Endpoint is where a signal is pushed to.
type Endpoint struct {
	// Signal is it.
	Signal Signal
	// URL takes the POSTs, path included.
	URL string
	// Headers go with each of them.
	Headers map[string]string
	// Timeout bounds one of them.
	Timeout time.Duration
	// Compress has the body sent as gzip.
	Compress bool
	// CAFile holds the certificates in PEM that an https endpoint is trusted by; empty means the system's.
	CAFile string
}

// String leaves the headers out, which may be credentials, and those in the URL.
func (e Endpoint) String() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return "an address that cannot be read"
	}
	return u.Redacted()
}

// GoString is String.
func (e Endpoint) GoString() string { return e.String() }

// EndpointOf is what the environment names, by OpenTelemetry's variables, or else the ConfigMap, by Knative's keys.
// Empty means that nothing is pushed. What cannot be served is an error that says what to set instead.
//
//	of metrics (of traces and logs likewise)             then
//	OTEL_SDK_DISABLED=true, OTEL_METRICS_EXPORTER=none   nowhere
//	OTEL_EXPORTER_OTLP_METRICS_ENDPOINT                  there, as it is
//	OTEL_EXPORTER_OTLP_ENDPOINT                          there, with /v1/metrics
//	metrics-protocol: http/protobuf, metrics-endpoint    there; with /v1/metrics if it has no path
//	anything else                                        nowhere
//
// Traces have the keys tracing-protocol and tracing-endpoint, logs logs-protocol and logs-endpoint.
func EndpointOf(signal Signal, config map[string]string, getenv func(string) string) (Endpoint, error) {
	read := environment{signal, getenv}
	e, err := read.endpoint(config)
	if err != nil || e.URL == "" {
		return Endpoint{}, err
	}
	if u, err := url.Parse(e.URL); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return Endpoint{}, fmt.Errorf("the endpoint for %s is not of the form http(s)://host:port/path", signal)
	}
	e.Timeout = defaultTimeout
	if text := read.of("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return Endpoint{}, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT %q is not a number of milliseconds", text)
		}
		e.Timeout = time.Duration(ms) * time.Millisecond
	}
	if e.Headers, err = headers(read.of("HEADERS")); err != nil {
		return Endpoint{}, err
	}
	e.Compress, e.CAFile = read.of("COMPRESSION") == "gzip", read.of("CERTIFICATE")
	return e, nil
}

// environment reads OpenTelemetry's variables for a signal.
type environment struct {
	signal Signal
	getenv func(string) string
}

// of is a variable for the signal, or else the one for all.
func (e environment) of(name string) string {
	if text := e.own(name); text != "" {
		return text
	}
	return e.getenv("OTEL_EXPORTER_OTLP_" + name)
}

// own is a variable for the signal alone.
func (e environment) own(name string) string {
	return e.getenv("OTEL_EXPORTER_OTLP_" + strings.ToUpper(string(e.signal)) + "_" + name)
}

func (e environment) endpoint(config map[string]string) (Endpoint, error) {
	exporter := "OTEL_" + strings.ToUpper(string(e.signal)) + "_EXPORTER"
	if strings.EqualFold(e.getenv("OTEL_SDK_DISABLED"), "true") || e.getenv(exporter) == "none" {
		return Endpoint{}, nil
	}
	keyProtocol, keyEndpoint := e.signal.keys()
	protocol, source := e.of("PROTOCOL"), "OTEL_EXPORTER_OTLP_PROTOCOL"
	to := e.own("ENDPOINT")
	if to == "" {
		if base := e.getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); base != "" {
			to = strings.TrimSuffix(base, "/") + e.signal.path()
		}
	}
	if to == "" {
		protocol, source = config[keyProtocol], keyProtocol
		if protocol == "" || protocol == "none" {
			return Endpoint{}, nil
		}
		if to = config[keyEndpoint]; to == "" {
			return Endpoint{}, fmt.Errorf("%s is %q and there is no %s", keyProtocol, protocol, keyEndpoint)
		}
		if u, err := url.Parse(to); err == nil && strings.Trim(u.Path, "/") == "" {
			to = strings.TrimSuffix(to, "/") + e.signal.path()
		}
	}
	if protocol != "" && protocol != protobuf {
		return Endpoint{}, fmt.Errorf(
			"%s %q is not served: a function at zero pods cannot be scraped, and has no gRPC; set it to %s",
			source, protocol, protobuf,
		)
	}
	return Endpoint{Signal: e.signal, URL: to}, nil
}

// headers reads key1=value1,key2=value2, percent-encoded.
func headers(text string) (map[string]string, error) {
	found := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS is not of the form name=value,name=value")
		}
		found[strings.TrimSpace(name)] = plain
	}
	return found, nil
}
