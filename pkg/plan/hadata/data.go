package hadata

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// ConfigMap is one ConfigMap that Flink's high availability keeps.
type ConfigMap struct {
	plan.ObjectVersion
	// Checkpoint reports whether it names at least one completed checkpoint.
	Checkpoint bool
	// Graphs are the IDs of the jobs that a JobManager would run because of it, sorted.
	Graphs []string
	// Plans are those of Graphs that only Flink 2.0 and later would run; older ones would run the others.
	Plans []string
	// Leader is the lease of the JobManager that it names as the leader. Absent: it names none.
	Leader plan.Observed[Lease]
}

// Lease is the lease of a JobManager that leads, or led.
type Lease struct {
	// Holder of it.
	Holder string
	// Renewed is its renewTime as its holder wrote it, by a clock that may differ from ours by any time: that it
	// changes says that the holder lives.
	Renewed string
	// Lasts is for how long after a renewal its holder leads.
	Lasts time.Duration
}

// Data is the high-availability data of what runs, as a round saw it.
type Data struct {
	// Store is where it is kept.
	Store Store
	// JobID is the job whose data it is; what there is of others is left over. Empty: anybody's counts, as before the
	// first start.
	JobID string
	// Namespace is the cluster's.
	Namespace string
	// ConfigMaps are those of the cluster, sorted by name.
	ConfigMaps plan.Observed[[]ConfigMap]
	// Tree is what lies in ZooKeeper.
	Tree plan.Observed[znode.Tree]
}

// Unknown reports that the data could not be looked at: what, in words, and why.
func (d Data) Unknown() (what, why string, unknown bool) {
	if d.Store.InZooKeeper() {
		return "the high-availability data in ZooKeeper", d.Tree.Why(), d.Tree.IsUnknown()
	}
	return "the high-availability ConfigMaps", d.ConfigMaps.Why(), d.ConfigMaps.IsUnknown()
}

// Job is what is known of a job's data: there is some when there is that of a job, and a checkpoint when it names one.
func (d Data) Job() plan.Observed[upgrade.HAData] {
	if _, why, unknown := d.Unknown(); unknown {
		return plan.Unknown[upgrade.HAData](why)
	}
	there := false
	if d.Store.InZooKeeper() {
		tree, _ := d.Tree.Get()
		there = d.JobID == "" && tree.Job() || tree.JobCreated(d.JobID) != 0
	} else {
		found, _ := d.ConfigMaps.Get()
		for _, c := range found {
			there = there || render.HoldsCheckpoints(c.Name) && d.counts(c)
		}
	}
	if !there {
		return plan.Absent[upgrade.HAData]()
	}
	return plan.Present(upgrade.HAData{Checkpoint: d.Checkpoint() != ""})
}

// Checkpoint is where the data names a checkpoint, for people; empty when it names none.
func (d Data) Checkpoint() string {
	if d.Store.InZooKeeper() {
		if tree, _ := d.Tree.Get(); d.JobID == "" && tree.Checkpoint() || d.JobID != "" && tree.CheckpointOf(d.JobID) {
			return "ZooKeeper node " + d.Store.Nodes.Path
		}
		return ""
	}
	found, _ := d.ConfigMaps.Get()
	for _, c := range found {
		if c.Checkpoint && d.counts(c) {
			return "ConfigMap " + c.Name
		}
	}
	return ""
}

// counts reports whether a ConfigMap may hold the checkpoints of the job: its name is not that of another one's.
func (d Data) counts(c ConfigMap) bool {
	of := render.JobOfHighAvailability(c.Name)
	return d.JobID == "" || of == "" || of == d.JobID
}

// Incarnation tells the data of a job from data that is made for it later, under the same names, after this was
// removed: by the UID of its ConfigMap, or by the transaction that made its node in ZooKeeper. Empty when there is
// none, or nobody could look.
func (d Data) Incarnation(jobID string) string {
	if d.Store.InZooKeeper() {
		tree, _ := d.Tree.Get()
		if zxid := tree.JobCreated(jobID); zxid != 0 {
			return "0x" + strconv.FormatInt(zxid, 16)
		}
		return ""
	}
	found, _ := d.ConfigMaps.Get()
	for _, c := range found {
		if render.HoldsCheckpoints(c.Name) && strings.Contains(c.Name, "-"+jobID+"-") {
			return string(c.UID)
		}
	}
	return ""
}

// InUse says who uses data that no pod of ours can be using: in ZooKeeper, a process whose session is open. Empty means
// nobody. A JobManager that was killed has its session for up to a minute more. One that lives is another cluster's of
// the same name, or is cut off from Kubernetes; a ConfigMap says the same by changing under a removal.
func (d Data) InUse() string {
	if tree, seen := d.Tree.Get(); d.Store.InZooKeeper() && seen && tree.Alive() {
		return fmt.Sprintf("a session is open on ZooKeeper node %s, although no JobManager pod is left: the session of a "+
			"killed JobManager expires within a minute; if it remains, another cluster uses the same node, and each "+
			"namespace needs its own high-availability.zookeeper.path.root", d.Store.Nodes.Path)
	}
	return ""
}

// Some reports whether there is any: a JobManager led.
func (d Data) Some() bool {
	_, some := d.Remove()
	return some
}

// Remove removes all of it; false means that there is none.
func (d Data) Remove() (plan.Action, bool) {
	all := d.all()
	return plan.DeleteHAData{HAData: all}, len(all.ConfigMaps) > 0 || all.Nodes != nil
}

// DropJobGraphs removes what it would run by itself.
func (d Data) DropJobGraphs() plan.Action { return plan.DropJobGraphs{HAData: d.all()} }

func (d Data) all() plan.HAData {
	all := plan.HAData{Namespace: d.Namespace}
	if d.Store.InZooKeeper() {
		if tree, found := d.Tree.Get(); found {
			all.Nodes = &plan.HANodes{Location: d.Store.Nodes, Zxid: tree.Zxid()}
		}
		return all
	}
	found, _ := d.ConfigMaps.Get()
	for _, c := range found {
		all.ConfigMaps = append(all.ConfigMaps, c.ObjectVersion)
	}
	return all
}

// Left tells people that the data is left behind, why, and how to remove it. It is false for data in Kubernetes, which
// we can always wait for.
func (d Data) Left() (message string, ok bool) {
	if d.Store.Removal() == "" {
		return "", false
	}
	_, why, _ := d.Unknown()
	switch {
	case d.Store.Unreadable():
		why = strings.TrimSuffix(d.Store.Problem, ".")
	case why == "":
		why = d.InUse()
	}
	return fmt.Sprintf("High-availability data was not deleted: %s. If no cluster uses it, run: %s", why,
		d.Store.Removal()), true
}
