package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Options of checkpoints, savepoints and high availability.
var (
	// CheckpointingInterval is the time between checkpoints; unset is no checkpoints.
	CheckpointingInterval = optional(conf.KindDuration, "execution.checkpointing.interval")
	// CheckpointingTimeout is the time after which a checkpoint is given up.
	CheckpointingTimeout = option(conf.KindDuration, "execution.checkpointing.timeout", "10 min")
	// TolerableFailedCheckpoints is the number of failed checkpoints in a row that a job survives.
	TolerableFailedCheckpoints = option(conf.KindInt, "execution.checkpointing.tolerable-failed-checkpoints", "0")
	// RetainedCheckpoints is the number of completed checkpoints that Flink keeps.
	RetainedCheckpoints = option(
		conf.KindInt, "execution.checkpointing.num-retained", "1", "state.checkpoints.num-retained",
	)
	// ExternalizedCheckpointRetention says whether checkpoints outlive a cancelled job.
	ExternalizedCheckpointRetention = enum("execution.checkpointing.externalized-checkpoint-retention",
		"NO_EXTERNALIZED_CHECKPOINTS", "DELETE_ON_CANCELLATION", "RETAIN_ON_CANCELLATION")
	// CheckpointDir is where checkpoints are stored.
	CheckpointDir = optional(
		conf.KindString, "execution.checkpointing.dir", "state.checkpoints.dir", "state.backend.fs.checkpointdir",
	)
	// CheckpointSubdir gives each job a directory of its own below CheckpointDir, named by its ID.
	CheckpointSubdir = option(
		conf.KindBool, "execution.checkpointing.create-subdir", "true", "state.checkpoints.create-subdir",
	)
	// SavepointDir is where savepoints are stored.
	SavepointDir = optional(
		conf.KindString, "execution.checkpointing.savepoint-dir", "state.savepoints.dir", "savepoints.state.backend.fs.dir",
	)
	// StateBackend holds the working state: hashmap, rocksdb, forst or a class.
	StateBackend = optional(conf.KindString, "state.backend.type", "state.backend")
	// SavepointPath is the state a job starts from, in the spelling that every supported version knows. From Flink 1.20
	// on RecoveryPath beats it.
	SavepointPath = optional(conf.KindString, "execution.savepoint.path")
	// RecoveryPath is SavepointPath from Flink 1.20 on.
	RecoveryPath = optional(conf.KindString, "execution.state-recovery.path")
	// IgnoreUnclaimedState lets a start skip state that the job no longer has, in the spelling that every supported
	// version knows. From Flink 1.20 on RecoveryIgnoreUnclaimedState beats it.
	IgnoreUnclaimedState = option(conf.KindBool, "execution.savepoint.ignore-unclaimed-state", "false")
	// RecoveryIgnoreUnclaimedState is IgnoreUnclaimedState from Flink 1.20 on.
	RecoveryIgnoreUnclaimedState = option(conf.KindBool, "execution.state-recovery.ignore-unclaimed-state", "false")
	// RestoreMode says who owns a savepoint after a start from it: NO_CLAIM, CLAIM, LEGACY.
	RestoreMode = declare(conf.Option{
		Key: "execution.state-recovery.claim-mode", Fallbacks: []string{"execution.savepoint-restore-mode"},
		Kind: conf.KindEnum, Values: []string{"NO_CLAIM", "CLAIM", "LEGACY"}, Default: "NO_CLAIM", HasDefault: true,
	})
	// HighAvailability is the kind of high availability: NONE, KUBERNETES, ZOOKEEPER or a factory class.
	HighAvailability = option(conf.KindString, "high-availability.type", "NONE", "recovery.mode", "high-availability")
	// HAClusterID is the name HA data is kept under. The operator sets it to the resource's name.
	HAClusterID = option(conf.KindString, "high-availability.cluster-id", "/default",
		"high-availability.zookeeper.path.namespace", "recovery.zookeeper.path.namespace")
	// HAStorageDir is where HA data is stored.
	HAStorageDir = optional(conf.KindString, "high-availability.storageDir",
		"high-availability.zookeeper.storageDir", "recovery.zookeeper.storageDir")
	// HAJobManagerPort is the JobManager's RPC port with ZooKeeper HA.
	HAJobManagerPort = option(conf.KindPort, "high-availability.jobmanager.port", "0", "recovery.jobmanager.port")
	// ZooKeeperQuorum are the ZooKeeper servers.
	ZooKeeperQuorum = optional(conf.KindString, "high-availability.zookeeper.quorum", "recovery.zookeeper.quorum")
	// ZooKeeperRoot is the node above all clusters.
	ZooKeeperRoot = option(
		conf.KindString, "high-availability.zookeeper.path.root", "/flink", "recovery.zookeeper.path.root",
	)
	// ZooKeeperACL says who may see what Flink makes: open is everybody, creator whoever Flink shows itself as.
	ZooKeeperACL = option(conf.KindString, "high-availability.zookeeper.client.acl", "open")
	// ZooKeeperAuthorization maps schemes of ZooKeeper's to whom Flink shows itself as.
	ZooKeeperAuthorization = optional(conf.KindMap, "high-availability.zookeeper.client.authorization")
	// ZooKeeperJobGraphs is the node of the job graphs before Flink 2.0.
	ZooKeeperJobGraphs = option(
		conf.KindString, "high-availability.zookeeper.path.jobgraphs", "/jobgraphs", "recovery.zookeeper.path.jobgraphs",
	)
	// ZooKeeperExecutionPlans is the node of the execution plans from Flink 2.0 on.
	ZooKeeperExecutionPlans = option(conf.KindString, "high-availability.zookeeper.path.execution-plans",
		"/execution-plans",
		"recovery.zookeeper.path.jobgraphs", "high-availability.zookeeper.path.jobgraphs")
	// JobResultStorePath is where results of ended jobs are kept.
	JobResultStorePath = optional(conf.KindString, "job-result-store.storage-path")
	// JobResultStoreDeleteOnCommit deletes a result when it was cleaned up.
	JobResultStoreDeleteOnCommit = option(conf.KindBool, "job-result-store.delete-on-commit", "true")
)
