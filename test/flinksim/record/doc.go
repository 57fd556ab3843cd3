// Command record runs a real Flink on this machine, plays the life of a job against its REST endpoint, and writes
// every request with its answer to a directory: the test data of package flinkrest, to which the model of test/flinksim
// is held, too.
//
//	pip download --no-deps apache-flink-libraries==1.20.5     # unpack so that DIR/lib holds the jars
//	go run ./test/flinksim/record -flink DIR -version 1.20.5 -out pkg/flinkrest/testdata/1.20
//
// It plays in parts, each with a cluster of its own; -only names some of them and keeps what the others recorded:
//
//	session       a session cluster from its start on: jars, jobs, savepoints, stops (scenario.go)
//	application   what is different in an application cluster (application.go)
//	ends          what each end leaves of the checkpoints, by retention; restart strategies that end; answers from a
//	              cache (ends.go)
//	ha            what high availability keeps of a job that fails, that has ended, that was restored (ha.go)
//	session-ha    whether the first list of a session cluster has the jobs that it recovers (ha.go)
//	adaptive      what the adaptive scheduler tells of jobs that end, also while they wait for resources (adaptive.go)
//	stop          a stop that fails after its savepoint under the adaptive scheduler (adaptive.go)
//	warm          plans of a jar, a job whose code is on the class path, and the job of package warmup (warm.go)
//
// I/O. It needs a JDK of version 11 or 17. It stops the processes it started. Directories, host names and addresses of
// the machine are replaced in what it writes; serialized Java objects are left out. Times, ports and random IDs are as
// recorded, so two runs differ in them.
//
// facts.json holds what a test cannot read out of one answer, such as how many savepoints a doubled trigger made.
//
// Start reading at scenario.go.
package main
