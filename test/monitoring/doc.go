// Package monitoring holds config/monitoring and docs/reference/metrics.md to what the functions measure: rules and
// dashboards
// ask for nothing that nobody tells, and every metric is explained.
//
// I/O, reads only: it reads files of the tree. It has tests only.
package monitoring
