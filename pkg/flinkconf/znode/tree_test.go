package znode_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
)

// recorded reads a tree that a real Flink left, one node a line.
func recorded(t *testing.T, file string) znode.Tree {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var tree znode.Tree
	for line := range strings.Lines(string(text)) {
		kind, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		tree = append(tree, znode.Node{Path: path, Ephemeral: kind == "ephemeral"})
	}
	return tree
}

func TestWhatFlinkLeaves(t *testing.T) {
	rows := map[string]struct {
		moment                 string
		job, checkpoint, alive bool
		reason                 string
	}{
		"running": {"running", true, true, true, "a JobManager leads, and two checkpoints are kept"},
		"terminated": {
			"terminated", true, true, false, "its pod was told to end: the sessions are closed, the state stays",
		},
		"cancelled": {"cancelled", false, false, true, "the job has ended for good, its JobManager lives"},
	}
	for _, version := range []string{"1.20.5", "2.2.1"} {
		for name, row := range rows {
			t.Run(version+" "+name, func(t *testing.T) {
				tree := recorded(t, "flink-"+version+"-"+row.moment+".txt")
				if tree.Job() != row.job || tree.Checkpoint() != row.checkpoint || tree.Alive() != row.alive {
					t.Errorf("job %v, checkpoint %v, alive %v, want %v, %v, %v: %s",
						tree.Job(), tree.Checkpoint(), tree.Alive(), row.job, row.checkpoint, row.alive, row.reason)
				}
			})
		}
	}
}

func TestTree(t *testing.T) {
	rows := map[string]struct {
		nodes           string
		job, checkpoint bool
		reason          string
	}{
		"nothing":                  {"", false, false, "a cluster's node without anything"},
		"a job without checkpoint": {"jobs,jobs/a,jobs/a/checkpoints", true, false, "it has just begun"},
		"about to be removed": {
			"jobs,jobs/a,jobs/a/checkpoints,jobs/a/checkpoints/1", true, true,
			"without locks; a start that is told of it fails at worst",
		},
		"a counter alone": {
			"jobs,jobs/a,jobs/a/checkpoint_id_counter", true, false, "it counts from one on also without checkpoints",
		},
		"an older leader": {
			"jobs,jobs/a,jobs/a/leader,jobs/a/leader/latch", true, false, "how Flink 1.15 may keep a job's leader",
		},
		"graphs alone": {
			"jobgraphs,jobgraphs/a,jobgraphs/a/locks,jobgraphs/a/locks/b", false, false, "what would run, not its state",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			tree := znode.Tree{{}}
			for p := range strings.SplitSeq(row.nodes, ",") {
				tree = append(tree, znode.Node{Path: p})
			}
			if tree.Job() != row.job || tree.Checkpoint() != row.checkpoint {
				t.Errorf("job %v, checkpoint %v: %s", tree.Job(), tree.Checkpoint(), row.reason)
			}
		})
	}
}

func TestZxidLeavesSessionsOut(t *testing.T) {
	tree := znode.Tree{{Zxid: 3}, {Path: "jobs", Zxid: 7}, {Path: "leader/latch/x", Zxid: 9, Ephemeral: true}}
	if tree.Zxid() != 7 || (znode.Tree{}).Zxid() != 0 {
		t.Errorf("zxid %d, want 7: a session that ends changes nothing that is kept", tree.Zxid())
	}
}

func TestBelow(t *testing.T) {
	tree := znode.Tree{{}, {Path: "jobs"}, {Path: "jobs/a"}, {Path: "jobs2"}}
	for path, want := range map[string]znode.Tree{"": tree, "jobs": tree[1:3], "jobs/a": tree[2:3], "other": nil} {
		if diff := cmp.Diff(want, tree.Below(path)); diff != "" {
			t.Errorf("below %q: %s", path, diff)
		}
	}
}

func TestJobCreated(t *testing.T) {
	tree := znode.Tree{{Path: "jobs", Created: 1}, {Path: "jobs/a", Created: 2}, {Path: "jobs/b", Created: 3}}
	for job, want := range map[string]int64{"a": 2, "b": 3, "c": 0} {
		if got := tree.JobCreated(job); got != want {
			t.Errorf("job %s: made by transaction %d, want %d", job, got, want)
		}
	}
}

func TestTheJobsOfATree(t *testing.T) {
	tree := znode.Tree{
		{}, {Path: "jobs"}, {Path: "jobs/b"}, {Path: "jobs/b/checkpoints"}, {Path: "jobs/b/checkpoints/1"},
		{Path: "jobgraphs"}, {Path: "jobgraphs/a"}, {Path: "jobgraphs/a/locks"}, {Path: "leader/job-c", Ephemeral: true},
	}
	if got := strings.Join(tree.JobIDs([]string{"execution-plans", "jobgraphs"}), " "); got != "a b" {
		t.Errorf("jobs %q, want a b: one has a graph alone, one data alone", got)
	}
	if tree.CheckpointOf("a") || !tree.CheckpointOf("b") {
		t.Error("b alone has a checkpoint")
	}
}
