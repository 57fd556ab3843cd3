package otlp

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestWhereMetricsGo(t *testing.T) {
	rows := map[string]struct {
		reason      string
		config, env map[string]string
		want        Endpoint
		says        string
	}{
		"nothing set": {reason: "no cost", want: Endpoint{}},
		"Knative none": {
			reason: "the default", config: map[string]string{"metrics-protocol": "none", "metrics-endpoint": "http://c:4318"},
		},
		"Knative": {
			"the same keys as Knative's own",
			map[string]string{"metrics-protocol": protobuf, "metrics-endpoint": "http://c:4318/otlp/v1/metrics"}, nil,
			Endpoint{URL: "http://c:4318/otlp/v1/metrics", Timeout: time.Second}, "",
		},
		"Knative, no path": {
			"a base address", map[string]string{"metrics-protocol": protobuf, "metrics-endpoint": "http://c:4318"}, nil,
			Endpoint{URL: "http://c:4318/v1/metrics", Timeout: time.Second}, "",
		},
		"Knative, no endpoint": {
			"half set", map[string]string{"metrics-protocol": protobuf}, nil, Endpoint{}, "metrics-endpoint",
		},
		"Knative, prometheus": {
			"nobody can scrape a function at zero",
			map[string]string{"metrics-protocol": "prometheus", "metrics-endpoint": ":9090"}, nil, Endpoint{},
			"set it to http/protobuf",
		},
		"environment": {
			"it wins", map[string]string{"metrics-protocol": "none"},
			map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT": "https://c:4318/", "OTEL_EXPORTER_OTLP_HEADERS": "a=b%20c, d=e",
				"OTEL_EXPORTER_OTLP_TIMEOUT": "300", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
				"OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca.pem",
			},
			Endpoint{
				URL: "https://c:4318/v1/metrics", Headers: map[string]string{"a": "b c", "d": "e"},
				Timeout: 300 * time.Millisecond, Compress: true, CAFile: "/ca.pem",
			}, "",
		},
		"environment, metrics only": {
			"as it is", nil, map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://m:1/in",
			}, Endpoint{URL: "http://m:1/in", Timeout: time.Second}, "",
		},
		"gRPC": {
			"it is not linked", nil,
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
			Endpoint{}, "has no gRPC",
		},
		"disabled": {
			"for all signals", nil,
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"}, Endpoint{}, "",
		},
		"no metrics": {
			"for this one", nil,
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_METRICS_EXPORTER": "none"}, Endpoint{}, "",
		},
		"no address": {
			"nothing to connect to", nil, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"}, Endpoint{},
			"not of the form",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got, err := EndpointOf(Metrics, row.config, func(name string) string { return row.env[name] })
			if row.says != "" {
				if err == nil || !strings.Contains(err.Error(), row.says) {
					t.Errorf("%v, want %q: %s", err, row.says, row.reason)
				}
				return
			}
			if err != nil || got.URL != row.want.URL || got.Timeout != row.want.Timeout || got.Compress != row.want.Compress ||
				got.CAFile != row.want.CAFile || len(got.Headers) != len(row.want.Headers) ||
				got.Headers["a"] != row.want.Headers["a"] {
				t.Errorf("%s %s %t, %v, want %s: %s", got.URL, got.Timeout, got.Compress, err, row.want.URL, row.reason)
			}
		})
	}
}

func TestAnEndpointIsPrintedWithoutItsSecrets(t *testing.T) {
	e := Endpoint{URL: "http://u:hunter2@c:4318/v1/metrics", Headers: map[string]string{"authorization": "hunter2"}}
	if got := fmt.Sprintf("%v %+v %#v %s", e, e, e, e); strings.Contains(got, "hunter2") {
		t.Error(got)
	}
}

func TestWhereTheOtherSignalsGo(t *testing.T) {
	both := map[string]string{
		"tracing-protocol": protobuf, "tracing-endpoint": "http://t:4318", "logs-protocol": protobuf,
		"logs-endpoint": "http://l",
	}
	one := func(name, value string) map[string]string { return map[string]string{name: value} }
	for name, row := range map[string]struct {
		signal      Signal
		config, env map[string]string
		url, says   string
	}{
		"traces":            {Traces, both, nil, "http://t:4318/v1/traces", ""},
		"logs":              {Logs, both, nil, "http://l/v1/logs", ""},
		"metrics, not set":  {Metrics, both, nil, "", ""},
		"a base for all":    {Logs, nil, one("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"), "http://c/v1/logs", ""},
		"one for traces":    {Traces, nil, one("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c/x"), "http://c/x", ""},
		"no logs":           {Logs, both, one("OTEL_LOGS_EXPORTER", "none"), "", ""},
		"traces by gRPC":    {Traces, one("tracing-protocol", "grpc"), nil, "", "tracing-endpoint"},
		"logs, no address":  {Logs, one("logs-protocol", protobuf), nil, "", "logs-endpoint"},
		"logs, not reached": {Logs, nil, one("OTEL_EXPORTER_OTLP_ENDPOINT", "c"), "", "endpoint for logs"},
	} {
		got, err := EndpointOf(row.signal, row.config, func(name string) string { return row.env[name] })
		told := ""
		if err != nil {
			told = err.Error()
		}
		if got.URL != row.url || (told == "") != (row.says == "") || !strings.Contains(told, row.says) {
			t.Errorf("%s: %s, %v", name, got.URL, err)
		}
	}
}
