package sessionjob

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Snapshot is everything that one decision sees. Parts nobody asked for are Unknown.
type Snapshot struct {
	// Now is the time of the look.
	Now time.Time
	// Operator is the installation's base configuration.
	Operator flinkconf.Operator
	// Resource is the FlinkSessionJob with its status, as just read. Never nil.
	Resource *v1beta1.FlinkSessionJob
	// Recorded is what Resource records; nil, or that of another object, is decoded by each decision.
	Recorded *Recorded
	// SpecProblem says why spec could not be decoded; empty when it could.
	SpecProblem string
	// Judged is what the user's validators say of the spec.
	Judged job.Judged
	// Uploads is true in the function that uploads jars: it does so where others ask for it.
	Uploads bool
	// Cluster is the FlinkDeployment that ClusterOf names.
	Cluster plan.Observed[*v1beta1.FlinkDeployment]
	// ClusterRecorded is what Cluster records; nil, or that of another object, is decoded by each decision.
	ClusterRecorded *job.Recorded
	// JobManager is the Deployment of its JobManager.
	JobManager plan.Observed[*appsv1.Deployment]
	// HAData are the high-availability ConfigMaps of the session cluster.
	HAData plan.Observed[[]hadata.ConfigMap]
	// HANodes is its high-availability data in ZooKeeper.
	HANodes plan.Observed[znode.Tree]
	// Jars are those that the JobManager has (GET /jars).
	Jars plan.Observed[[]Jar]
	// Others are the other session jobs of the namespace.
	Others plan.Observed[[]Other]
	// Autoscaled is what the autoscaler keeps of the job.
	Autoscaled plan.Observed[Autoscaled]
	// Snapshots are the FlinkStateSnapshots that may be the job's.
	Snapshots plan.Observed[[]v1beta1.FlinkStateSnapshot]
	// Flink is what the JobManager answered.
	Flink job.Flink
}

// Autoscaled is what the autoscaler keeps of a job.
type Autoscaled = autoscaled.Store

// Jar is one uploaded jar.
type Jar struct {
	// ID is what Flink calls it.
	ID string
	// Name is what it was uploaded as.
	Name string
}
