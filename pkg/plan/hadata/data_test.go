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
			told, hidden := s.Problem != "", strings.EqualFold(row.config[kind], "zookeeper") && !row.readable
			if told != hidden || s.Unreadable() != hidden {
				t.Errorf("problem %q, unreadable %t", s.Problem, s.Unreadable())
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

// Two stores that are no ZooKeeper are one place if they are of one kind.
func TestKindsOfPlacesAreCompared(t *testing.T) {
	none, kubernetes := StoreOf(flinkconf.Config{}), StoreOf(flinkconf.Config{kind: "kubernetes"})
	if kubernetes.Same(none) || !kubernetes.Same(kubernetes) {
		t.Error("Kubernetes is one place, and no high availability is none")
	}
}

// Only of data in ZooKeeper are people told how to remove it: where it is known.
func TestRemoval(t *testing.T) {
	rows := map[string]struct {
		config flinkconf.Config
		want   string
	}{
		"none": {flinkconf.Config{quorum: "a"}, ""}, "Kubernetes": {flinkconf.Config{kind: "kubernetes", quorum: "a"}, ""},
		"no quorum": {flinkconf.Config{kind: "zookeeper"}, ""},
		"ZooKeeper": {
			flinkconf.Config{kind: "zookeeper", quorum: "a,b:3"}, "zkCli.sh -server a:2181,b:3 deleteall /flink/default",
		},
	}
	for name, row := range rows {
		if got := StoreOf(row.config).Removal(); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// The data of a job is told from what is made for it later, under the same names.
func TestIncarnation(t *testing.T) {
	inKubernetes, inZooKeeper := flinkconf.Config{kind: "kubernetes"}, flinkconf.Config{kind: "zookeeper", quorum: "a"}
	data := func(c flinkconf.Config) Data {
		leader := ConfigMap{ObjectVersion: plan.ObjectVersion{Name: "demo-cluster-config-map", UID: "leader"}}
		other := ConfigMap{ObjectVersion: plan.ObjectVersion{Name: "demo-b-config-map", UID: "other"}}
		own := ConfigMap{ObjectVersion: plan.ObjectVersion{Name: "demo-a-config-map", UID: "own"}}
		return Data{
			Store: StoreOf(c), ConfigMaps: plan.Present([]ConfigMap{leader, other, own}),
			Tree: plan.Present(znode.Tree{{Path: "jobs/b", Created: 7}, {Path: "jobs/a", Created: 255}}),
		}
	}
	rows := map[string]struct {
		data Data
		job  string
		want string
	}{
		"in Kubernetes":           {data(inKubernetes), "a", "own"},
		"another in Kubernetes":   {data(inKubernetes), "c", ""},
		"the leader is no job's":  {data(inKubernetes), "cluster", ""},
		"in ZooKeeper":            {data(inZooKeeper), "a", "0xff"},
		"another in ZooKeeper":    {data(inZooKeeper), "c", ""},
		"nobody looked":           {Data{Store: StoreOf(inKubernetes)}, "a", ""},
		"nobody looked elsewhere": {Data{Store: StoreOf(inZooKeeper)}, "a", ""},
	}
	for name, row := range rows {
		if got := row.data.Incarnation(row.job); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// Only an open session in ZooKeeper is a use; and of what is in use people are told why it is left.
func TestInUse(t *testing.T) {
	zookeeper := StoreOf(flinkconf.Config{kind: "zookeeper", quorum: "a"})
	alive := plan.Present(znode.Tree{{Path: "leader", Ephemeral: true}})
	rows := map[string]struct {
		data Data
		used bool
	}{
		"a session is open": {Data{Store: zookeeper, Tree: alive}, true},
		"none is":           {Data{Store: zookeeper, Tree: plan.Present(znode.Tree{{Path: "leader"}})}, false},
		"nobody looked":     {Data{Store: zookeeper}, false},
		"Kubernetes":        {Data{Store: StoreOf(flinkconf.Config{kind: "kubernetes"}), Tree: alive}, false},
	}
	for name, row := range rows {
		why := row.data.InUse()
		message, _ := row.data.Left()
		if told := strings.Contains(message, "a session is open"); (why != "") != row.used || told != row.used {
			t.Errorf("%s: %q, %q", name, why, message)
		}
	}
	if message, _ := (Data{Store: zookeeper, Tree: plan.Unknown[znode.Tree]("time-out")}).Left(); !strings.Contains(
		message, "was not deleted: time-out.",
	) {
		t.Errorf("got %q", message)
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
