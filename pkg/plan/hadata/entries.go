package hadata

import (
	"maps"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Entry is what the data has of one job.
type Entry struct {
	// JobID is its ID in Flink's form.
	JobID string
	// Checkpoint is where a completed checkpoint of it is named, for people; empty when none is.
	Checkpoint string
	// Graph and Plan report whether there is something to run, for Flink before 2.0 and since.
	Graph, Plan bool
}

// RunBy reports whether a JobManager of a Flink version would run the job. Neither side of 2.0 looks where the other
// one keeps what is to run.
func (e Entry) RunBy(version v1beta1.FlinkVersion) bool {
	if version.AtLeast(v1beta1.FlinkV2_0) {
		return e.Plan
	}
	return e.Graph
}

// Entries are the jobs that the data has something of: what to run, or checkpoints. They are sorted by ID.
func (d Data) Entries() []Entry {
	found := map[string]Entry{}
	if d.Store.InZooKeeper() {
		tree, _ := d.Tree.Get()
		for _, id := range tree.JobIDs(d.Store.Nodes.JobGraphs()) {
			e := Entry{
				JobID: id, Graph: len(tree.Below(d.Store.Nodes.Graphs+"/"+id)) > 0,
				Plan: len(tree.Below(d.Store.Nodes.Plans+"/"+id)) > 0,
			}
			if tree.CheckpointOf(id) {
				e.Checkpoint = "ZooKeeper node " + d.Store.Nodes.Path + "/jobs/" + id
			}
			found[id] = e
		}
	}
	seen, _ := d.ConfigMaps.Get()
	for _, c := range seen {
		for _, id := range append(slices.Clone(c.Graphs), render.JobOfHighAvailability(c.Name)) {
			e := found[id]
			if e.JobID = id; c.Checkpoint && render.HoldsCheckpoints(c.Name) {
				e.Checkpoint = "ConfigMap " + c.Name
			}
			plan := slices.Contains(c.Plans, id)
			e.Plan, e.Graph = e.Plan || plan, e.Graph || !plan && slices.Contains(c.Graphs, id)
			found[id] = e
		}
	}
	delete(found, "")
	entries := make([]Entry, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		entries = append(entries, found[id])
	}
	return entries
}

// Runs reports whether a JobManager would run a job because of the data, as far as that can be seen.
func (d Data) Runs(jobID string) plan.Observed[bool] {
	if _, why, unknown := d.Unknown(); unknown {
		return plan.Unknown[bool](why)
	}
	if d.Store.InZooKeeper() {
		tree, _ := d.Tree.Get()
		return plan.Present(slices.ContainsFunc(d.Store.Nodes.JobGraphs(), func(graphs string) bool {
			return len(tree.Below(graphs+"/"+jobID)) > 0
		}))
	}
	found, _ := d.ConfigMaps.Get()
	return plan.Present(slices.ContainsFunc(found, func(c ConfigMap) bool { return slices.Contains(c.Graphs, jobID) }))
}

// LeftOver are the IDs of the jobs that the data has something of, beside the one whose data it is.
func (d Data) LeftOver() []string {
	var others []string
	for _, e := range d.Entries() {
		if d.JobID != "" && e.JobID != d.JobID {
			others = append(others, e.JobID)
		}
	}
	return others
}

// Forget removes what it has of some jobs.
func (d Data) Forget(jobs []string) plan.Action { return plan.ForgetJobs{HAData: d.all(), Jobs: jobs} }

// ForgetOthers removes what it has of some jobs, and what it would run by itself of any.
func (d Data) ForgetOthers(jobs []string) plan.Action {
	return plan.ForgetJobs{HAData: d.all(), Jobs: jobs, AllGraphs: true}
}
