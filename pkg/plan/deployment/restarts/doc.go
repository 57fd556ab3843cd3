// Package restarts counts how often a job was started again by itself, and says how long the next restart has to wait: a job that fails
// right after each start is not worth a new cluster every few seconds.
//
// PURE: see package plan. Invariant: the first restart waits for nothing, and none waits for longer than ten minutes. Start reading at Due.
package restarts
