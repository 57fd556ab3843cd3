package validation_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

func TestDeploymentJob(t *testing.T) {
	const (
		interval = "kubernetes.operator.periodic.savepoint.interval"
		age      = "kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age"
	)
	noCheckpoints := finding{confPath(checkpointDir), "Checkpoint directory[" + checkpointDir + "] must be defined"}
	noSavepoints := finding{
		"spec.job.upgradeMode",
		"Job could not be upgraded with savepoint while config key[" + savepointDir + "] is not set",
	}
	mode := func(mode v1beta1.UpgradeMode, missing ...string) func(*input) {
		return func(in *input) {
			in.Spec.Job.UpgradeMode = mode
			in.Spec.FlinkConfiguration = without(in.Spec.FlinkConfiguration, missing...)
		}
	}
	const ignoreUnclaimed = "execution.state-recovery.ignore-unclaimed-state"
	drops := func(mode v1beta1.UpgradeMode, allow *bool, options ...string) func(*input) {
		return func(in *input) {
			in.Spec.Job.UpgradeMode, in.Spec.Job.AllowNonRestoredState = mode, allow
			in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, options...)
		}
	}
	for name, row := range map[string]deploymentRow{
		"suspended": {
			"a state to ask for",
			func(in *input) { in.Spec.Job.State = v1beta1.JobStateSuspended },
			nil,
		},
		"running": {
			"a state to ask for",
			func(in *input) { in.Spec.Job.State = v1beta1.JobStateRunning },
			nil,
		},
		"unknown state": {
			"the CRD says so too",
			func(in *input) { in.Spec.Job.State = "paused" },
			one("spec.job.state", `Unknown job state "paused"`),
		},
		"unknown upgrade mode": {
			"the CRD says so too",
			mode("magic"),
			one("spec.job.upgradeMode", `Unknown upgrade mode "magic"`),
		},
		"an argument of several lines": {
			"flink-conf.yaml has one line a value",
			func(in *input) { in.Spec.Job.Args = []string{"--sql", "SELECT 1;\nSELECT 2"} },
			one("spec.job.args[1]", "Job argument 2 cannot be passed on to Flink v1_20: it has several lines"),
		},
		"arguments with a number sign": {
			"Flink would take what follows for a comment; the first is enough, its text is not shown",
			func(in *input) { in.Spec.Job.Args = []string{"--password", "'a # b'", "#"} },
			one("spec.job.args[1]", "Job argument 2 cannot be passed on to Flink v1_20: it has a #"),
		},
		"such arguments for Flink 2": {
			"config.yaml holds them",
			func(in *input) { in.Spec.FlinkVersion, in.Spec.Job.Args = v1beta1.FlinkV2_0, []string{"a#b", "c\nd"} },
			nil,
		},
		"parallelism 0": {
			"nothing would run",
			func(in *input) { in.Spec.Job.Parallelism = 0 },
			one("spec.job.parallelism", "Job parallelism must be larger than 0"),
		},
		"parallelism -1": {
			"nothing would run",
			func(in *input) { in.Spec.Job.Parallelism = -1 },
			one("spec.job.parallelism", "Job parallelism must be larger than 0"),
		},
		"replicas for parallelism": {
			"they give it",
			func(in *input) { in.Spec.TaskManager.Replicas, in.Spec.Job.Parallelism = ptr(int32(1)), 0 },
			nil,
		},
		"replicas 0": {"nothing would run; the TaskManager has no memory either",
			func(in *input) { in.Spec.TaskManager = &v1beta1.TaskManagerSpec{Replicas: ptr(int32(0))} },
			[]finding{
				{"spec.taskManager.replicas", "TaskManager replicas must be larger than 0"},
				{"spec.taskManager.resources.requests.memory", "TaskManager resource memory must be defined"},
			}},
		"no TaskManager": {"the parallelism counts", func(in *input) {
			in.Spec.TaskManager, in.Spec.Job.Parallelism = nil, 0
			in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, "taskmanager.memory.process.size", "2g")
		}, one("spec.job.parallelism", "Job parallelism must be larger than 0")},

		"stateful with both directories": {
			"both are needed, both are there",
			mode(v1beta1.UpgradeModeSavepoint),
			nil,
		},
		"savepoint, no savepoint dir": {
			"the savepoint has no place",
			mode(v1beta1.UpgradeModeSavepoint, savepointDir),
			[]finding{noSavepoints},
		},
		"savepoint, no checkpoint dir": {
			"it may fall back to last-state",
			mode(v1beta1.UpgradeModeSavepoint, checkpointDir),
			[]finding{noCheckpoints},
		},
		"savepoint, neither dir": {
			"both are told",
			mode(v1beta1.UpgradeModeSavepoint, checkpointDir, savepointDir),
			[]finding{noCheckpoints, noSavepoints},
		},
		"last-state, no checkpoint dir": {
			"there is no last state",
			mode(v1beta1.UpgradeModeLastState, checkpointDir),
			[]finding{noCheckpoints},
		},
		"last-state, no savepoint dir": {
			"it needs none",
			mode(v1beta1.UpgradeModeLastState, savepointDir),
			nil,
		},
		"stateless, no checkpoint dir": {
			"no state, no place for it",
			mode(v1beta1.UpgradeModeStateless, checkpointDir),
			nil,
		},
		"no mode, no checkpoint dir": {"stateless is the default", mode("", checkpointDir), nil},
		"last-state, HA in old spelling": {"as with the new one", func(in *input) {
			mode(v1beta1.UpgradeModeLastState)(in)
			in.Spec.FlinkConfiguration = add(without(in.Spec.FlinkConfiguration, "high-availability.type"), "high-availability",
				"kubernetes")
		}, nil},
		"last-state without HA": {
			"legal: the job is cancelled and its last checkpoint used",
			mode(v1beta1.UpgradeModeLastState, "high-availability.type"),
			nil,
		},
		"directories in old spellings": {"older spellings count", func(in *input) {
			in.Spec.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint
			replace("state.checkpoints.dir", "a", "state.savepoints.dir", "b")(in)
		}, nil},
		"directories in oldest spellings": {"older spellings count", func(in *input) {
			in.Spec.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint
			replace("state.backend.fs.checkpointdir", "a", "savepoints.state.backend.fs.dir", "b")(in)
		}, nil},
		"blank directories": {"blank is none", func(in *input) {
			in.Spec.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint
			replace(checkpointDir, " ", savepointDir, "")(in)
		}, []finding{noCheckpoints, noSavepoints}},
		"directory by default": {"defaults count", func(in *input) {
			mode(v1beta1.UpgradeModeLastState)(in)
			in.Spec.FlinkConfiguration = nil
			in.Operator = operator("high-availability.type", haFactory, checkpointDir, "cpdir")
		}, nil},

		"savepoint nonce without dir": {"the savepoint has no place",
			func(in *input) { replace()(in); in.Spec.Job.SavepointTriggerNonce = ptr(int64(7)) },
			one(
				"spec.job.savepointTriggerNonce",
				"Savepoint could not be manually triggered for the running job while config key["+savepointDir+"] is not set",
			)},
		"checkpoint nonce without dir": {
			"it needs no savepoint directory",
			func(in *input) { replace()(in); in.Spec.Job.CheckpointTriggerNonce = ptr(int64(7)) },
			nil,
		},
		"periodic savepoints, no dir": {
			"the savepoints have no place",
			replace(interval, "1m"),
			one(confPath(interval), "Periodic savepoints cannot be enabled when config key["+savepointDir+"] is not set"),
		},
		"empty interval, no dir": {
			"its mere presence counts",
			replace(interval, ""),
			one(confPath(interval), "Periodic savepoints"),
		},
		"interval 0, no dir": {
			"its mere presence counts",
			replace(interval, "0"),
			one(confPath(interval), "Periodic savepoints"),
		},
		"interval that nobody can read": {
			"no savepoint would ever be taken",
			replace(interval, "soon", savepointDir, "x"),
			one(confPath(interval), "Invalid value for Flink config key"),
		},
		"checkpoint age, no dir": {
			"an old checkpoint leads to a savepoint",
			replace(age, "1m"),
			one(confPath(age), "In order to use max-checkpoint age functionality config key["+savepointDir+"] must be set"),
		},
		"checkpoint age, no duration": {
			"it cannot be compared with",
			replace(age, "soon"),
			one(confPath(age), "Invalid value for Flink config key: "+age),
		},
		"everything without dir": {"each user of the directory is told", func(in *input) {
			replace(interval, "1m", age, "1m", checkpointDir, "x")(in)
			in.Spec.Job.UpgradeMode, in.Spec.Job.SavepointTriggerNonce = v1beta1.UpgradeModeSavepoint, ptr(int64(1))
		}, []finding{
			noSavepoints, {"spec.job.savepointTriggerNonce", "manually"}, {confPath(interval), "Periodic"},
			{confPath(age), "max-checkpoint age"},
		}},
		"last-state that leaves state out": {
			"nothing keeps what it leaves out, and nobody tells: a warning",
			drops(v1beta1.UpgradeModeLastState, ptr(true)),
			one("spec.job.allowNonRestoredState", "with upgradeMode last-state, a start leaves out the state"),
		},
		"last-state that leaves state out by an option": {
			"Flink reads it where the field is not set",
			drops(v1beta1.UpgradeModeLastState, nil, ignoreUnclaimed, "true"),
			one("spec.job.allowNonRestoredState", "with upgradeMode last-state, a start leaves out the state"),
		},
		"last-state, the field says no": {
			"it has the last word",
			drops(v1beta1.UpgradeModeLastState, ptr(false), ignoreUnclaimed, "true"),
			nil,
		},
		"last-state, nothing said": {"all state is kept", drops(v1beta1.UpgradeModeLastState, nil), nil},
		"savepoint that leaves state out": {
			"the savepoint keeps it",
			drops(v1beta1.UpgradeModeSavepoint, ptr(true)),
			nil,
		},
		"session cluster without dirs": {"it has no job to take along", func(in *input) {
			in.Spec.Job = nil
			replace(interval, "1m")(in)
		}, nil},
	} {
		t.Run(name, row.run)
	}
}
