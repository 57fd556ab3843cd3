// Package flinkrest talks to the REST endpoint of a Flink cluster, 1.15 to 2.x: one typed call per path.
//
// I/O. It must not decide anything, repeat a call, cache, log, or import another package of this project than its own
// wire (one HTTP exchange) and javatrace (Flink's stack traces).
//
// Invariants: every call has a deadline and a bound; every error is of one kind; only Flink's own word ever says "is
// not there"; a success that is incomplete, or about something else, is an error; unknown fields are tolerated and
// wrong types are not.
//
// Start reading at Client, then SavepointStatus and JarRun. What may be read out of an error stands at the Err kinds.
//
// # What Flink really does
//
// Played against real clusters of 1.15.4, 1.16.3, 1.17.2, 1.18.1, 1.19.3, 1.20.5, 2.0.1, 2.1.1 and 2.2.1 by
// test/flinksim/record, all without high availability; the same in all of them unless a version is named. The
// recordings of 1.20.5 and 2.2.1, and some of 1.15.4 and 2.3.0, are in testdata. [S] marks what was read in the
// classes of 1.15.4, 1.20.5 and 2.2.1 only.
//
// Savepoints, stops and triggered checkpoints:
//   - A TriggerID is idempotent per job: three triggers under one ID (two at once, one after completion) are each
//     accepted and make one savepoint; the same for stops, even after the job has ended.
//   - Flink remembers an ID from its trigger until rest.async.store-duration (5 min) after its end, in the JobManager
//     process; then, and after a restart of the process, the status is OperationNotKnown and the ID would start anew
//     [S].
//   - A trigger is accepted for a job that does not exist or has ended: its status is OperationFailed with
//     FlinkJobNotFoundException. An ID that failed stays failed as long as it is remembered: another try needs another
//     ID.
//   - A stop whose job fails after the savepoint is complete has OperationFailed and a Location.
//   - Disposal draws its own ID, and fails for what is gone.
//
// Jobs:
//   - A JobID is idempotent in a jar run: while the job runs, and, without high availability, as long as the process
//     lives after its end (finished, cancelled, or failed while it was set up), a second run is ErrDuplicateJob. Of two
//     runs whose mains run at the same time the first to submit wins.
//   - With high availability an ended job is forgotten as soon as its clean-up is done, unless
//     job-result-store.delete-on-commit is false (default true): the same ID then runs again [S]. So look for the job
//     before repeating a run, and never repeat one whose job may have ended.
//   - A run that the caller gives up goes on: the job appears under its ID when main submits. Until then Flink says
//     404.
//   - An application's JobManager answers 404 for its own job, with Flink's list of errors, and lists no jobs, from the
//     moment it leads until main has submitted. That absence is true and passes.
//   - Cancelling a CANCELED job succeeds; a FINISHED or FAILED one is ErrTerminal.
//   - The job and vertex metrics of an unknown job are an empty list, not a 404.
//   - A savepoint path that does not exist fails the jar run (400), and leaves a FAILED job under its ID.
//
// Jars: a jar that is not there is 500 in a run and 400 in a delete; both are ErrNotFound. An upload twice is two jars.
// A plan runs main; a main that fails is 500 there and 400 in a run. An empty jar runs code of the class path: the
// request names the class, and pipeline.classpaths in its flinkConfiguration names the jar, in the file system of all
// processes of the cluster.
//
// Age: Job, JobConfig, JobExceptions, CheckpointStatistics and ExecutionResult are answered from caches that may be as
// old as web.refresh-interval (3 s); Jobs, Overview and the status of operations are not [S]. A job may thus be listed
// as FINISHED and described as RUNNING.
//
// Statistics: a streaming job without checkpoints, and a job that was never set up, have empty statistics; a batch job
// has none (ErrNoCheckpointing).
//
// Versions: up to 1.19 a field that Flink does not know is a 400, from 1.20 on it is ignored. Jar run:
// flinkConfiguration from 1.17, claimMode instead of restoreMode from 1.20. Triggered checkpoints from 1.17,
// INCREMENTAL is refused from 1.19 on; resource requirements from 1.18, with the adaptive scheduler. What a version
// does not have is ErrNoEndpoint.
package flinkrest
