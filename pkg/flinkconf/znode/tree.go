package znode

import (
	"slices"
	"strings"
)

// Node is one node of a cluster's data.
type Node struct {
	// Path is relative to the cluster's node, without slashes at its ends; empty for that node itself.
	Path string
	// Version is that of its data, the precondition of its removal.
	Version int32
	// Zxid is the transaction that made it or changed its data last.
	Zxid int64
	// Created is the transaction that made it: another one that is made at its path later has another.
	Created int64
	// Ephemeral tells that it goes with the session of the process that made it.
	Ephemeral bool
}

// Tree is what lies in a location: the cluster's node and everything below, parents before children.
type Tree []Node

// jobsNode holds a node for each job.
const jobsNode = "jobs"

// checkpointsNode holds the completed checkpoints of a job.
const checkpointsNode = "checkpoints"

// Job reports whether there is data of a job that has not ended for good.
func (t Tree) Job() bool {
	return t.has(func(p []string) bool { return len(p) == 2 && p[0] == jobsNode })
}

// JobCreated is the transaction that made the data of a job; 0 when there is none. Flink removes that data when the job
// has ended for good (ZooKeeperLeaderElectionHaServices.internalCleanupJobData).
func (t Tree) JobCreated(jobID string) int64 {
	for _, n := range t {
		if n.Path == jobsNode+"/"+jobID {
			return n.Created
		}
	}
	return 0
}

// Checkpoint reports whether the data names a completed checkpoint. One that Flink was about to remove when it was
// killed counts, too: a start that is told of a checkpoint and finds none fails, and one that is not told of it would
// begin anew.
func (t Tree) Checkpoint() bool {
	return t.has(func(p []string) bool { return len(p) == 4 && p[0] == jobsNode && p[2] == checkpointsNode })
}

// JobIDs are the jobs that there is data of, below the node of jobs or one that holds what is to run. They are sorted.
func (t Tree) JobIDs(graphs []string) []string {
	var ids []string
	for _, n := range t {
		at := strings.LastIndex(n.Path, "/")
		if n.Ephemeral || at < 0 {
			continue
		}
		if parent := n.Path[:at]; parent == jobsNode || slices.Contains(graphs, parent) {
			ids = append(ids, n.Path[at+1:])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// CheckpointOf reports whether the data names a completed checkpoint of a job.
func (t Tree) CheckpointOf(jobID string) bool { return t.Below(jobsNode + "/" + jobID).Checkpoint() }

// Forgets are the nodes that hold what there is of some jobs, relative to the cluster's node; with allGraphs, what is
// to run of all jobs, too. None is below another.
func (l Location) Forgets(jobIDs []string, allGraphs bool) []string {
	var nodes []string
	for _, id := range jobIDs {
		nodes = append(nodes, jobsNode+"/"+id)
		for _, graphs := range l.JobGraphs() {
			if !allGraphs {
				nodes = append(nodes, graphs+"/"+id)
			}
		}
	}
	if allGraphs {
		nodes = append(nodes, l.JobGraphs()...)
	}
	return nodes
}

func (t Tree) has(is func(parts []string) bool) bool {
	for _, n := range t {
		if !n.Ephemeral && is(strings.Split(n.Path, "/")) {
			return true
		}
	}
	return false
}

// Alive reports whether the session of some process is still open: a JobManager that lives, or one that died less than
// its session timeout ago.
func (t Tree) Alive() bool {
	for _, n := range t {
		if n.Ephemeral {
			return true
		}
	}
	return false
}

// Zxid is the newest change of what outlives sessions: the version of the data as a whole.
func (t Tree) Zxid() int64 {
	newest := int64(0)
	for _, n := range t {
		if !n.Ephemeral {
			newest = max(newest, n.Zxid)
		}
	}
	return newest
}

// Below are the nodes at or below a relative path, parents before children. The empty path is all of them.
func (t Tree) Below(path string) Tree {
	var below Tree
	for _, n := range t {
		if path == "" || n.Path == path || strings.HasPrefix(n.Path, path+"/") {
			below = append(below, n)
		}
	}
	return below
}
