package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/podfailure"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// The words of a decision's input: who looks at the world and who decides on it use the same.
type (
	// Snapshot is everything that one decision sees.
	Snapshot = cluster.Snapshot
	// Recorded is what its resource records.
	Recorded = job.Recorded
	// Seen is what it sees of the job.
	Seen = job.Seen
	// Objects are those of its cluster.
	Objects = cluster.Objects
	// Companion is one object of a prepared start.
	Companion = cluster.Companion
	// ReplicaSet is one of the cluster's Deployments.
	ReplicaSet = cluster.ReplicaSet
	// TaskManagerDeployment is that of a standalone cluster's TaskManagers.
	TaskManagerDeployment = cluster.TaskManagerDeployment
	// Judged is what the user's validators say of a spec.
	Judged = job.Judged
	// SessionJob is one FlinkSessionJob of a session cluster.
	SessionJob = cluster.SessionJob
	// HAConfigMap is one ConfigMap that Flink's high availability keeps.
	HAConfigMap = hadata.ConfigMap
	// Autoscaled is what the autoscaler keeps of a job.
	Autoscaled = autoscaled.Store
	// Flink is what the JobManager answered.
	Flink = job.Flink
	// Job is one job as Flink lists it.
	Job = job.Job
	// Checkpoints are what a job's statistics say of its state.
	Checkpoints = job.Checkpoints
	// Restored is the state that a job began from.
	Restored = job.Restored
	// StateKind is where a job's newest restorable state comes from.
	StateKind = job.StateKind
	// StopProgress is how far a stop-with-savepoint is.
	StopProgress = job.StopProgress
	// ClusterFacts are what Flink tells about a cluster.
	ClusterFacts = job.ClusterFacts
	// Retention says which checkpoints outlive a job.
	Retention = upgrade.Retention
	// Failure is one entry of a job's exception history.
	Failure = exceptions.Entry
	// Health is what a job's health is judged by.
	Health = health.Seen
	// More is what to ask Flink once its jobs are known.
	More = job.More
)

// Where the autoscaler keeps what it knows: the ConfigMap <prefix><name>, found by <selector><name>.
const (
	AutoscaledPrefix   = autoscaled.StorePrefix
	AutoscaledSelector = autoscaled.StoreSelector
)

// The states of a stop-with-savepoint.
const (
	StopInProgress = job.StopInProgress
	StopCompleted  = job.StopCompleted
	StopUnfinished = job.StopUnfinished
	StopFailed     = job.StopFailed
	StopNotKnown   = job.StopNotKnown
)

// The kinds of restorable state.
const (
	KindCheckpoint        = job.KindCheckpoint
	KindSavepoint         = job.KindSavepoint
	KindStop              = job.KindStop
	KindRestored          = job.KindRestored
	KindRestoredSavepoint = job.KindRestoredSavepoint
)

// How to read some of what was looked at.
var (
	// ReadRecorded decodes what a resource's status records.
	ReadRecorded = job.ReadRecorded
	// Recall is the same, with the configuration of what runs.
	Recall = job.Recall
	// Companions lists the objects of a start, besides its Deployment.
	Companions = cluster.Companions
	// ConfigOf is the configuration of what runs.
	ConfigOf = cluster.ConfigOf
	// HostedJob is a FlinkSessionJob as its session cluster sees it.
	HostedJob = cluster.HostedJob
	// FindJob is the job of an ID among those that Flink lists.
	FindJob = job.FindJob
	// Crashed finds the container that crashed last.
	Crashed = podfailure.Crashed
	// MayMissVolumes reports whether a pod may wait for its volumes.
	MayMissVolumes = podfailure.MayMissVolumes
)
