package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// view is one FlinkSessionJob for the rules: the life of its job, and the session cluster that it runs on. As in
// package job, a topic is a view by another name with the methods of one idea: upload(v).awaitJar().
type view struct{ *round }

// round is what every topic shares of one decision. It is the job.Host: its methods are the facts that follow from what
// was seen.
type round struct {
	job.Life
	seen *Snapshot
	// recorded is what the session job records.
	recorded *Recorded
	// cluster is the session cluster; nil when it is not there, or not known.
	cluster *cluster.Cluster
	// isCopy is true when the status was written for another resource.
	isCopy bool
}

func newView(s Snapshot) view {
	v := view{&round{seen: &s, recorded: s.recorded(), cluster: clusterOf(&s)}}
	v.Life = job.New(lifeOf(v))
	v.Host, v.Starter, v.Stopper = v.round, starter(v), stopper(v)
	return v
}

// clusterOf is the session cluster as a decision about it would see it.
func clusterOf(s *Snapshot) *cluster.Cluster {
	d, ok := s.Cluster.Get()
	if !ok {
		return nil
	}
	host := cluster.Snapshot{
		Seen: job.Seen{Now: s.Now, Operator: s.Operator, Resource: d, Recorded: s.ClusterRecorded},
	}
	host.JobManager, host.HAData, host.HANodes = s.JobManager, s.HAData, s.HANodes
	c := cluster.New(host)
	return &c
}

// lifeOf is what the life of the job sees.
func lifeOf(v view) *job.Seen {
	s := v.seen
	formed, recorded := v.recorded.on(v.jobManager())
	seen := &job.Seen{
		Now: s.Now, Operator: s.Operator, Kind: v1beta1.JobKindFlinkSessionJob, SpecProblem: s.SpecProblem,
		Judged:   s.Judged,
		Resource: formed, Recorded: recorded, Snapshots: s.Snapshots, Flink: s.Flink,
		Autoscaled:    s.Autoscaled,
		ClusterConfig: s.Operator.Default(s.Resource.Namespace, ""),
	}
	if v.cluster != nil {
		seen.ClusterConfig = v.cluster.Config()
		seen.OtherSpecs = []*v1beta1.FlinkDeploymentSpec{&v.cluster.Resource().Spec, v.cluster.Running()}
	}
	return seen
}

// accept decides which spec counts. What validation knows of the cluster it learns when that is there, and the spec
// names it.
func accept(v view) {
	r := v.seen.Resource
	in := validation.SessionJobInput{
		Namespace: r.Namespace, Labels: r.Labels, Spec: r.Spec, Status: r.Status, Operator: v.seen.Operator,
		Last: v.recorded.last,
	}
	if d, ok := v.seen.Cluster.Get(); ok && r.Spec.DeploymentName == ClusterOf(r) {
		in.Cluster = d
	}
	v.Accept(validation.SessionJob(in))
}
