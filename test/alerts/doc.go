// Package alerts provokes each alert of config/monitoring/rules.yaml in Prometheus' own rule engine, and holds that
// none fires in an hour in which all is well. It is a module of its own: Prometheus is large, and nothing else needs
// it.
//
// I/O: it reads config/monitoring; the samples are in memory.
//
// Start reading at TestAlerts.
package alerts
