package specdiff

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// effect is the kind of a field's change in the two deployment modes.
type effect struct {
	native, standalone Kind
}

var (
	upgrades         = effect{Upgrade, Upgrade}
	ignored          = effect{Ignore, Ignore}
	redeploys        = effect{SavepointRedeploy, SavepointRedeploy}
	scalesStandalone = effect{native: Upgrade, standalone: Scale}
	scalesNative     = effect{native: Scale, standalone: Upgrade}
)

func (e effect) in(mode v1beta1.Mode) Kind {
	if mode == v1beta1.ModeStandalone {
		return e.standalone
	}
	return e.native
}

// field is one row: what a change of one field of S means. Exactly one of value, part and config is set.
type field[S any] struct {
	// name of the field in JSON.
	name string
	// effect of a change; not used with part and config.
	effect effect
	// nullIsNoChange: taking the value away changes nothing (nonces).
	nullIsNoChange bool
	// value reads the field with its default applied; nil means not set.
	value func(*S) any
	// part compares the field row by row of its own table while both sides have it; one without the other is an upgrade.
	part part[S]
	// config reads a Flink configuration, compared key by key with configRows.
	config func(*S) v1beta1.FlinkConfiguration
}

// part is a field with a table of its own.
type part[S any] interface {
	// get returns the field's value, nil when not set.
	get(*S) any
	// entries compares two values that are both set.
	entries(prefix string, old, new *S, mode v1beta1.Mode) []entry
	// equal compares two values that are both set, in everything.
	equal(old, new *S) bool
}

var deploymentTable = []field[v1beta1.FlinkDeploymentSpec]{
	{name: "image", effect: upgrades, value: func(s *v1beta1.FlinkDeploymentSpec) any { return text(s.Image) }},
	{
		name: "imagePullPolicy", effect: upgrades,
		value: func(s *v1beta1.FlinkDeploymentSpec) any { return text(s.ImagePullPolicy) },
	},
	{
		name: "serviceAccount", effect: upgrades,
		value: func(s *v1beta1.FlinkDeploymentSpec) any { return text(s.ServiceAccount) },
	},
	{
		name: "flinkVersion", effect: upgrades,
		value: func(s *v1beta1.FlinkDeploymentSpec) any { return text(s.FlinkVersion) },
	},
	{name: "ingress", effect: upgrades, value: func(s *v1beta1.FlinkDeploymentSpec) any { return pointer(s.Ingress) }},
	{
		name: "podTemplate", effect: upgrades,
		value: func(s *v1beta1.FlinkDeploymentSpec) any { return pointer(s.PodTemplate) },
	},
	{
		name: "jobManager", effect: upgrades,
		value: func(s *v1beta1.FlinkDeploymentSpec) any { return jobManager(s.JobManager) },
	},
	{name: "taskManager", part: table[v1beta1.FlinkDeploymentSpec, v1beta1.TaskManagerSpec]{
		rows: taskManagerTable, read: func(s *v1beta1.FlinkDeploymentSpec) *v1beta1.TaskManagerSpec {
			return s.TaskManager
		},
	}},
	{
		name: "logConfiguration", effect: upgrades,
		value: func(s *v1beta1.FlinkDeploymentSpec) any { return files(s.LogConfiguration) },
	},
	{name: "mode", effect: upgrades, value: func(s *v1beta1.FlinkDeploymentSpec) any { return text(s.Mode) }},
	{name: "job", part: table[v1beta1.FlinkDeploymentSpec, v1beta1.JobSpec]{
		rows: jobTable, read: func(s *v1beta1.FlinkDeploymentSpec) *v1beta1.JobSpec { return s.Job },
	}},
	{name: "restartNonce", effect: upgrades, nullIsNoChange: true,
		value: func(s *v1beta1.FlinkDeploymentSpec) any { return pointer(s.RestartNonce) }},
	{
		name:   "flinkConfiguration",
		config: func(s *v1beta1.FlinkDeploymentSpec) v1beta1.FlinkConfiguration { return s.FlinkConfiguration },
	},
}

var sessionJobTable = []field[v1beta1.FlinkSessionJobSpec]{
	{
		name: "deploymentName", effect: upgrades,
		value: func(s *v1beta1.FlinkSessionJobSpec) any { return text(s.DeploymentName) },
	},
	{name: "job", part: table[v1beta1.FlinkSessionJobSpec, v1beta1.JobSpec]{
		rows: jobTable, read: func(s *v1beta1.FlinkSessionJobSpec) *v1beta1.JobSpec { return s.Job },
	}},
	{name: "restartNonce", effect: upgrades, nullIsNoChange: true,
		value: func(s *v1beta1.FlinkSessionJobSpec) any { return pointer(s.RestartNonce) }},
	{
		name:   "flinkConfiguration",
		config: func(s *v1beta1.FlinkSessionJobSpec) v1beta1.FlinkConfiguration { return s.FlinkConfiguration },
	},
}

var taskManagerTable = []field[v1beta1.TaskManagerSpec]{
	{name: "resource", effect: upgrades, value: func(t *v1beta1.TaskManagerSpec) any { return pointer(t.Resource) }},
	{name: "resources", effect: upgrades, value: func(t *v1beta1.TaskManagerSpec) any { return pointer(t.Resources) }},
	{
		name: "replicas", effect: scalesStandalone,
		value: func(t *v1beta1.TaskManagerSpec) any { return pointer(t.Replicas) },
	},
	{
		name: "podTemplate", effect: upgrades,
		value: func(t *v1beta1.TaskManagerSpec) any { return pointer(t.PodTemplate) },
	},
}

var jobTable = []field[v1beta1.JobSpec]{
	{name: "jarURI", effect: upgrades, value: func(j *v1beta1.JobSpec) any { return text(j.JarURI) }},
	{name: "parallelism", effect: scalesStandalone, value: func(j *v1beta1.JobSpec) any { return j.Parallelism }},
	{name: "entryClass", effect: upgrades, value: func(j *v1beta1.JobSpec) any { return text(j.EntryClass) }},
	{name: "args", effect: upgrades, value: func(j *v1beta1.JobSpec) any { return arguments(j.Args) }},
	{name: "state", effect: upgrades, value: func(j *v1beta1.JobSpec) any { return j.DesiredState() }},
	{
		name: "savepointTriggerNonce", effect: ignored,
		value: func(j *v1beta1.JobSpec) any { return pointer(j.SavepointTriggerNonce) },
	},
	{
		name: "initialSavepointPath", effect: ignored,
		value: func(j *v1beta1.JobSpec) any { return text(j.InitialSavepointPath) },
	},
	{
		name: "checkpointTriggerNonce", effect: ignored,
		value: func(j *v1beta1.JobSpec) any { return pointer(j.CheckpointTriggerNonce) },
	},
	{name: "upgradeMode", effect: ignored, value: func(j *v1beta1.JobSpec) any { return j.DesiredUpgradeMode() }},
	{
		name: "allowNonRestoredState", effect: ignored,
		value: func(j *v1beta1.JobSpec) any { return pointer(j.AllowNonRestoredState) },
	},
	{name: "savepointRedeployNonce", effect: redeploys, nullIsNoChange: true,
		value: func(j *v1beta1.JobSpec) any { return pointer(j.SavepointRedeployNonce) }},
	{
		name: "autoscalerResetNonce", effect: ignored,
		value: func(j *v1beta1.JobSpec) any { return pointer(j.AutoscalerResetNonce) },
	},
}

// configRows say what a change of a Flink configuration key means. The first row whose prefix the key starts with
// decides, without a boundary: parallelism.default.foo is ignored too. Any other key upgrades.
var configRows = []struct {
	prefix string
	effect effect
}{
	{"job.autoscaler", ignored},
	{"parallelism.default", ignored},
	{"kubernetes.operator", ignored},
	{"pipeline.jobvertex-parallelism-overrides", scalesNative},
}

func configEffect(key string) effect {
	for _, row := range configRows {
		if strings.HasPrefix(key, row.prefix) {
			return row.effect
		}
	}
	return upgrades
}

// text is a string field: the empty string is not set.
func text[T ~string](s T) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// pointer is an optional field.
func pointer[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// jobManager is the JobManager with its default number of replicas.
func jobManager(j *v1beta1.JobManagerSpec) any {
	if j == nil {
		return nil
	}
	replicas := j.DesiredReplicas()
	filled := *j
	filled.Replicas = &replicas
	return filled
}

// files tells no log files at all (the image's own are used) from an empty set of them (none are used).
func files(f map[string]string) any {
	if f == nil {
		return nil
	}
	return f
}

// programArguments are printed without the secrets among them.
type programArguments []string

// arguments are never null: absent means none.
func arguments(args []string) any {
	if args == nil {
		return programArguments{}
	}
	return programArguments(args)
}
