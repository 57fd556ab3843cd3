package session

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
)

// Job is one FlinkSessionJob for the rules: what the decision about its job works on, and the session cluster that it
// runs on. It is the world.Host: its methods are the facts that follow from what was seen.
type Job struct {
	// Look is the decision in the making.
	Look *world.Look
	// Seen is what it is made from.
	Seen *Snapshot
	// Recorded is what the session job records.
	Recorded *Recorded
	// Cluster is the session cluster; nil when it is not there, or not known.
	Cluster *cluster.Cluster
}

// New makes the Job of a snapshot. It answers questions, and carries no steps out.
func New(s Snapshot) *Job {
	v := &Job{Seen: &s, Recorded: s.recorded(), Cluster: clusterOf(&s)}
	v.Look = world.New(lifeOf(v))
	v.Look.Host = v
	return v
}

// clusterOf is the session cluster as a decision about it would see it.
func clusterOf(s *Snapshot) *cluster.Cluster {
	d, ok := s.Cluster.Get()
	if !ok {
		return nil
	}
	host := cluster.Snapshot{
		Seen: world.Seen{Now: s.Now, Operator: s.Operator, Resource: d, Recorded: s.ClusterRecorded},
	}
	host.JobManager, host.HAData, host.HANodes = s.JobManager, s.HAData, s.HANodes
	c := cluster.New(host)
	return c
}

// lifeOf is what the life of the job sees.
func lifeOf(v *Job) *world.Seen {
	s := v.Seen
	formed, recorded := v.Recorded.on(v.JobManager())
	seen := &world.Seen{
		Now: s.Now, Operator: s.Operator, Kind: v1beta1.JobKindFlinkSessionJob, SpecProblem: s.SpecProblem,
		Judged:   s.Judged,
		Resource: formed, Recorded: recorded, Snapshots: s.Snapshots, Readers: s.Readers,
		SnapshotsRefused: s.SnapshotsRefused, Flink: s.Flink,
		Autoscaled:    s.Autoscaled,
		ClusterConfig: s.Operator.Default(s.Resource.Namespace, ""),
	}
	if v.Cluster != nil {
		seen.ClusterConfig = v.Cluster.Look.Config()
		seen.OtherSpecs = []*v1beta1.FlinkDeploymentSpec{&v.Cluster.Look.Resource().Spec, v.Cluster.Look.Running()}
	}
	return seen
}
