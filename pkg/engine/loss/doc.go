// Package loss knows whether a job that began again lost what it had done. It suspects that, judges it by what Flink
// says the job was restored from and by the high-availability data that the job runs with, and tells it until somebody
// gave the state up or chose another.
//
// PURE: it writes status.lostProgress, and what of the job's status goes with it. Start reading at Judge.
package loss
