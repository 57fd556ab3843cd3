// Package takeover reads what another operator left in the status of a FlinkDeployment, and writes it down as ours.
//
// PURE: see package plan. It changes the subject's status and nothing else; the rules of package deployment then go on
// from it. No row here gives up a state that a job may be started from. Start reading at Status.
package takeover
