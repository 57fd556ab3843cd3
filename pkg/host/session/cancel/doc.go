// Package cancel carries out the steps that end the job of a session job: a stop, a deletion, and a job that had ended
// and runs again.
//
// PURE: see package plan. Start reading at Deleting.
package cancel
