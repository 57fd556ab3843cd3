package session

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// ClusterOf is the name of the session cluster of a session job: that of the spec acted on last, because its job runs
// there; of one that was never deployed, or whose record cannot be read, that of the spec. Empty when neither says it.
func ClusterOf(r *v1beta1.FlinkSessionJob) string {
	text := r.Status.ReconciliationStatus.LastReconciledSpec
	if text == "" {
		return r.Spec.DeploymentName
	}
	record, err := v1beta1.ParseReconciledSessionJob(text)
	if err != nil || record.Spec.DeploymentName == "" {
		return r.Spec.DeploymentName
	}
	return record.Spec.DeploymentName
}

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
	Judged world.Judged
	// Uploads is true in the function that uploads jars: it does so where others ask for it.
	Uploads bool
	// Cluster is the FlinkDeployment that ClusterOf names.
	Cluster plan.Observed[*v1beta1.FlinkDeployment]
	// ClusterRecorded is what Cluster records; nil, or that of another object, is decoded by each decision.
	ClusterRecorded *world.Recorded
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
	Autoscaled plan.Observed[autoscaled.Store]
	// Snapshots are the FlinkStateSnapshots that may be the job's.
	Snapshots plan.Observed[[]v1beta1.FlinkStateSnapshot]
	// SnapshotsRefused is why a FlinkStateSnapshot of the round before could not be made or deleted; nil: that was not
	// tried, or went well.
	SnapshotsRefused *world.SnapshotsRefused
	// Readers are the paths of its savepoint history that other resources of the namespace may still read.
	Readers plan.Observed[snapshots.Readers]
	// Revisions are those of the job's revision history.
	Revisions plan.Observed[[]history.Revision]
	// Flink is what the JobManager answered.
	Flink world.Flink
}

// Jar is one uploaded jar.
type Jar struct {
	// ID is what Flink calls it.
	ID string
	// Name is what it was uploaded as.
	Name string
}

// Other is another FlinkSessionJob of the namespace.
type Other struct {
	// UID is metadata.uid.
	UID types.UID
	// JobID is that of its job.
	JobID string
}
