package apply

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/zookeeper"
)

// nodes keeps what was to be removed.
type nodes struct {
	removed []zookeeper.Removal
	err     error
}

// Remove keeps it.
func (n *nodes) Remove(_ context.Context, r zookeeper.Removal) error {
	n.removed = append(n.removed, r)
	return n.err
}

func TestHADataInZooKeeperGoes(t *testing.T) {
	at := znode.Location{
		Servers: []string{"zk:2181"}, Path: "/flink/demo", Graphs: "jobgraphs", Plans: "execution-plans",
	}
	data := plan.HAData{Namespace: "flink", Nodes: &plan.HANodes{Location: at, Zxid: 7}}
	rows := map[string]struct {
		action plan.Action
		below  []string
		reason string
	}{
		"all of it":      {plan.DeleteHAData{HAData: data}, nil, "a job that is not needed any more"},
		"the job graphs": {plan.DropJobGraphs{HAData: data}, at.JobGraphs(), "the checkpoints stay"},
		"a job": {
			plan.ForgetJobs{HAData: data, Jobs: []string{"a"}},
			[]string{"jobs/a", "execution-plans/a", "jobgraphs/a"}, "the others stay",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s, z := newCluster(t), &nodes{}
			s.c.ZooKeeper = z
			if err := s.carry(row.action); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]zookeeper.Removal{{Location: at, Zxid: 7, Below: row.below}}, z.removed); diff != "" {
				t.Errorf("%s: %s", row.reason, diff)
			}
			z.err = fail.Conflictf("", "Changed", "the data changed since it was seen")
			if err := s.carry(row.action); fail.KindOf(err) != fail.Conflict ||
				!strings.Contains(err.Error(), "ZooKeeper node /flink/demo") {
				t.Errorf("%v, want a conflict that says what", err)
			}
		})
	}
}
