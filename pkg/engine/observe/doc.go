// Package observe brings the status of a job up to what a look saw: its state, its checkpoints, its snapshots in
// flight, its failures, its health.
//
// PURE: it decides nothing. Start reading at Job.
package observe
