// Package warmup has the small job that makes a new Flink cluster warm before a job is moved to it.
//
// PURE: the jar is part of the program. Its source stands beside it, in job/; a test of local/flink compiles it and
// compares. It is compiled for Java 11 against Flink 1.20, and runs unchanged on 1.17 to 2.3.
//
// Start reading at Jar.
package warmup
