// Package rollback decides from which state the last stable spec of a FlinkDeployment starts again.
//
// PURE: see package plan. That a rollback is due is the caller's question. Start reading at Decide.
package rollback
