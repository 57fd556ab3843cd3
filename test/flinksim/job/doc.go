// Package job is the model of one Flink job and of the storage its snapshots lie in.
//
// PURE: time comes in as a parameter, nothing goes out.
//
// A job counts its progress: one with each step that it runs. A snapshot holds the progress of its moment, so that a
// test sees from what state a job went on, and what was lost.
//
// It must not know JobManagers, HTTP or Kubernetes.
//
// Invariants:
//   - a trigger ID that the job still knows starts nothing again, one that it forgot starts a new operation;
//   - a snapshot is in the Storage exactly while its files would be there;
//   - an ended job stays ended.
//
// Start reading at Job and Job.Step.
package job
