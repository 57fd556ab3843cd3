// Package restarts counts how often a job or a session was started again by itself, and says how long the next restart
// has to wait: what is down again right after each start is not worth a new cluster every few seconds. The pauses are
// those of package backoff.
//
// PURE: see package plan. Invariant: the first restart waits for nothing, and none waits for longer than ten minutes.
// Start reading at Due.
package restarts
