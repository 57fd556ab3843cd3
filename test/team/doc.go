// Package team is what a team has in its namespace, in the model API server: jobs that run, wait, fail and are
// suspended, a session cluster, pairs, snapshots, pods, events and logs, with secrets planted in each.
//
// I/O: it reads the file of resources of pkg/cli's tests. Start reading at New.
package team
