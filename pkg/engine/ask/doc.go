// Package ask says what else Flink is to be asked of a job, once its jobs are listed: what the decision that follows
// needs, and no more.
//
// PURE: it reads. Start reading at Flink.
package ask
