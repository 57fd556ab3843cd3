// Package alerts provokes each alert of config/monitoring/rules.yaml in Prometheus' own rule engine, and holds that
// none fires in an hour in which all is well: one that is written down, and one that the functions pushed by OTLP
// (testdata/healthy-hour.jsonl.gz, which test/scenario records). And it has the functions' programs push to a real
// Collector, and that to Prometheus and to a backend of traces. It is a module of its own: Prometheus and the Collector
// are large, and nothing else needs them.
//
// I/O: it reads config/monitoring and docs/reference/metrics.md, builds the functions, and listens on the loopback interface.
//
// Start reading at TestAlerts, then at TestAHealthyHour and TestFromTheFunctionsToPrometheus.
package alerts
