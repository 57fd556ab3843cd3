// Package flinkrest talks to the REST endpoint of a Flink cluster, 1.15 to 2.x.
//
// I/O. It must not decide anything, retry, cache, log, or import another package of this project.
package flinkrest
