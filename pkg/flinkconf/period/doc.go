// Package period reads the times in which the autoscaler leaves a job alone: daily ranges, Quartz cron expressions, and
// both joined by &&.
//
// PURE: the time, with the location whose clocks count, is an argument.
//
// It must not be lenient: what Check accepts, Excluded understands.
//
// Start reading at Check and Excluded.
package period
