package hadata

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

const kind, quorum = "high-availability.type", "high-availability.zookeeper.quorum"

func TestStores(t *testing.T) {
	rows := map[string]struct {
		config              flinkconf.Config
		readable, zookeeper bool
		reason              string
	}{
		"none":       {flinkconf.Config{}, false, false, "there is no data"},
		"Kubernetes": {flinkconf.Config{kind: "KUBERNETES"}, true, false, "in ConfigMaps"},
		"ZooKeeper":  {flinkconf.Config{kind: "zookeeper", quorum: "a"}, true, true, "in nodes"},
		"ZooKeeper, Kerberos": {
			flinkconf.Config{kind: "zookeeper", quorum: "a", "high-availability.zookeeper.client.acl": "creator"}, false,
			false, "nobody of ours may look",
		},
		"no quorum": {flinkconf.Config{kind: "zookeeper"}, false, false, "Flink would not start either"},
		"a class":   {flinkconf.Config{kind: "org.example.Factory"}, false, false, "wherever that keeps it"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := StoreOf(row.config)
			if s.Readable() != row.readable || s.InZooKeeper() != row.zookeeper {
				t.Errorf("readable %t, in ZooKeeper %t: %s", s.Readable(), s.InZooKeeper(), row.reason)
			}
			if told := s.Problem != ""; told != (strings.EqualFold(row.config[kind], "zookeeper") && !row.readable) {
				t.Errorf("problem %q", s.Problem)
			}
		})
	}
}

func TestPlacesAreCompared(t *testing.T) {
	a := StoreOf(flinkconf.Config{kind: "zookeeper", quorum: "a"})
	rows := map[string]struct {
		other flinkconf.Config
		same  bool
	}{
		"the same":         {flinkconf.Config{kind: "ZooKeeper", quorum: "a:2181"}, true},
		"another ensemble": {flinkconf.Config{kind: "zookeeper", quorum: "b"}, false},
		"another kind":     {flinkconf.Config{kind: "kubernetes", quorum: "a"}, false},
	}
	for name, row := range rows {
		if got := a.Same(StoreOf(row.other)); got != row.same {
			t.Errorf("%s: %t, want %t", name, got, row.same)
		}
	}
}

// TestBothPlacesSayTheSame reads the same data out of ConfigMaps and out of nodes.
func TestBothPlacesSayTheSame(t *testing.T) {
	maps := func(names ...string) plan.Observed[[]ConfigMap] {
		found := []ConfigMap{}
		for _, n := range names {
			name, checkpoint := strings.CutSuffix(n, "!")
			found = append(found, ConfigMap{ObjectVersion: plan.ObjectVersion{Name: name}, Checkpoint: checkpoint})
		}
		return plan.Present(found)
	}
	tree := func(paths ...string) plan.Observed[znode.Tree] {
		found := znode.Tree{{Zxid: 5}}
		for _, p := range paths {
			found = append(found, znode.Node{Path: p})
		}
		return plan.Present(found)
	}
	rows := map[string]struct {
		maps             plan.Observed[[]ConfigMap]
		tree             plan.Observed[znode.Tree]
		job, check, some bool
		reason           string
	}{
		"nothing": {maps(), plan.Absent[znode.Tree](), false, false, false, "a clean place"},
		"a leader alone": {
			maps("demo-cluster-config-map"), tree("leader", "jobs"), false, false, true, "no job, but something to remove",
		},
		"a job": {
			maps("demo-cluster-config-map", "demo-a-config-map"), tree("jobs", "jobs/a"), true, false, true,
			"nothing to lose yet",
		},
		"a checkpoint": {
			maps("demo-a-config-map!"), tree("jobs", "jobs/a", "jobs/a/checkpoints", "jobs/a/checkpoints/1"), true, true,
			true, "a state to start from",
		},
		"unknown": {
			plan.Unknown[[]ConfigMap]("time-out"), plan.Unknown[znode.Tree]("time-out"), false, false, false,
			"nobody could look",
		},
	}
	for name, row := range rows {
		for store, config := range map[string]flinkconf.Config{
			"ConfigMaps": {kind: "kubernetes"}, "ZooKeeper": {kind: "zookeeper", quorum: "a"},
		} {
			t.Run(name+" in "+store, func(t *testing.T) {
				d := Data{Store: StoreOf(config), ConfigMaps: row.maps, Tree: row.tree}
				job, there := d.Job().Get()
				_, some := d.Remove()
				if there != row.job || job.Checkpoint != row.check || some != row.some || (d.Checkpoint() != "") != row.check {
					t.Errorf(
						"job %t, checkpoint %t (%s), something %t: %s", there, job.Checkpoint, d.Checkpoint(), some, row.reason,
					)
				}
				if _, why, unknown := d.Unknown(); unknown != (name == "unknown") || unknown != (why == "time-out") {
					t.Errorf("unknown %t: %q", unknown, why)
				}
				if message, may := d.Left(); may != (store == "ZooKeeper") || strings.Contains(message, "zkCli.sh") != may {
					t.Errorf("left behind %t: %q", may, message)
				}
			})
		}
	}
}
