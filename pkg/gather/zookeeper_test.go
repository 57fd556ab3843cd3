package gather

import (
	"context"
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// nodes answers a look as a test wants, and keeps where it was asked.
type nodes struct {
	tree  znode.Tree
	err   error
	asked []string
}

// Read answers.
func (n *nodes) Read(_ context.Context, l znode.Location) (znode.Tree, bool, error) {
	n.asked = append(n.asked, strings.Join(l.Servers, ",")+l.Path)
	return n.tree, len(n.tree) > 0, n.err
}

func TestHADataInZooKeeper(t *testing.T) {
	rows := map[string]struct {
		answer nodes
		is     func(s cluster.Snapshot) bool
		reason string
	}{
		"there is some": {
			nodes{tree: znode.Tree{{}, {Path: "jobs"}}},
			func(s cluster.Snapshot) bool { tree, ok := s.HANodes.Get(); return ok && len(tree) == 2 }, "it was found",
		},
		"there is none": {nodes{}, func(s cluster.Snapshot) bool { return s.HANodes.IsAbsent() }, "it was looked for"},
		"nobody answers": {nodes{err: errors.New("connection\nrefused")}, func(s cluster.Snapshot) bool {
			return s.HANodes.IsUnknown() && s.HANodes.Why() == "connection refused"
		}, "it could not be looked at, and the line says why"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			g, w := newGatherer(t)
			g.ZooKeeper = &row.answer
			if _, err := w.Kube.Update(kubesim.FlinkDeployments, "flink", "demo", func(u *unstructured.Unstructured) {
				options := map[string]any{
					"high-availability.type": "zookeeper", "high-availability.zookeeper.quorum": "zk:2181",
					"high-availability.storageDir": "s3://ha",
				}
				if err := unstructured.SetNestedMap(u.Object, options, "spec", "flinkConfiguration"); err != nil {
					t.Fatal(err)
				}
			}); err != nil {
				t.Fatal(err)
			}
			inquiry, err := g.Deployment(t.Context(), Read{Resource: demo(w)})
			if err != nil || !row.is(*inquiry.Seen) {
				t.Errorf("%v: %s", err, row.reason)
			}
			if len(row.answer.asked) != 1 || row.answer.asked[0] != "zk:2181/flink/demo" {
				t.Errorf("asked %q", row.answer.asked)
			}
			if n := w.Tap.Count(wire.On("list", "configmaps")); n > 0 {
				t.Errorf("ConfigMaps were listed %d times for data that is elsewhere", n)
			}
		})
	}
}
