// Package store reads and writes what the autoscaler keeps of a job, in the format of the Java autoscaler: the data of
// the ConfigMap autoscaler-<name>. A store that Java wrote is read, and Java reads what is written here.
//
// PURE: data in, data out.
//
//	key                    holds                                       form
//	collectedMetrics       samples by time                             YAML, gzip, base64
//	scalingHistory         scalings by vertex and time                 YAML, gzip, base64
//	scalingTracking        restarts by time                            YAML, gzip, base64
//	parallelismOverrides   parallelism by vertex                       a Flink map, or YAML flow form
//	configOverrides        options that are set and taken away         YAML
//	delayedScaleDown       scale downs that wait, by vertex            YAML
//
// Times that are keys are ISO 8601 in UTC; times and durations that are values are seconds with nine decimals.
//
// Invariants: reading never panics, whatever the text; a value that cannot be read is reported and discarded, but for
// parallelismOverrides, without which a job would go back to its base size: that one is an error.
//
// Start reading at Read and Write.
package store
