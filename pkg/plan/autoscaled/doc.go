// Package autoscaled keeps what an autoscaler had set when a job was deployed: the parallelism of its vertices and
// the memory of its TaskManagers. Neither stands in the user's spec, so that without it the difference to the
// recorded spec would restart the job at its base size.
//
// PURE: see package plan. Start reading at Keep.
package autoscaled
