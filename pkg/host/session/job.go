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
		Resource: formed, Recorded: recorded, Autoscaled: s.Autoscaled,
		ClusterConfig: s.Operator.Default(s.Resource.Namespace, ""),
	}
	if v.Cluster != nil {
		seen.ClusterConfig = v.Cluster.Look.Config()
		seen.OtherSpecs = []*v1beta1.FlinkDeploymentSpec{&v.Cluster.Look.Resource().Spec, v.Cluster.Look.Running()}
	}
	s.seenBy(seen)
	return seen
}

// seenBy copies what is asked for, but for the store of the autoscaler.
func (s *Snapshot) seenBy(seen *world.Seen) {
	seen.Judged, seen.Flink, seen.Readers = s.Judged, s.Flink, s.Readers
	seen.Revisions = s.Revisions
	seen.Snapshots, seen.SnapshotsRefused = s.Snapshots, s.SnapshotsRefused
}

// See takes over what was seen since, but for the store of the autoscaler, see world.Look.
func See(v *Job) {
	v.Seen.seenBy(v.Look.Seen)
	if v.Cluster != nil {
		v.Cluster.Seen.HAData, v.Cluster.Seen.HANodes = v.Seen.HAData, v.Seen.HANodes
	}
	jm := v.JobManager()
	v.Look.Seen.Resource.Status.JobManagerDeploymentStatus, v.Look.Want.JobManagerDeploymentStatus = jm, jm
	world.Renew(v.Look)
}

// Apart is the same for a question that is asked while others look, see world.Look.
func Apart(v *Job) *Job {
	seen, life, resource := *v.Seen, *v.Look.Seen, *v.Look.Seen.Resource
	life.Resource = &resource
	apart := &Job{Seen: &seen, Recorded: v.Recorded}
	if v.Cluster != nil {
		apart.Cluster = cluster.Apart(v.Cluster)
	}
	apart.Look = world.Apart(v.Look, &life, apart)
	return apart
}
