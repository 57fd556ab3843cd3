// Package refused says what follows when Flink refuses a request about a job's snapshots. The job is as well as before.
//
// PURE: see package plan. Start reading at Request.
package refused
