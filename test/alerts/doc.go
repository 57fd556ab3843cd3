// Package alerts provokes each alert of config/monitoring/rules.yaml in Prometheus' own rule engine, and holds that
// none fires in an hour in which all is well: one that is written down, and one that the functions pushed by OTLP
// (testdata/healthy-hour.jsonl.gz, which test/scenario records). It is a module of its own: Prometheus is large, and
// nothing else needs it.
//
// I/O: it reads config/monitoring and docs/metrics.md; samples are in memory and in a temporary directory.
//
// Start reading at TestAlerts, then at TestAHealthyHour.
package alerts
