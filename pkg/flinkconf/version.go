package flinkconf

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Behaviour is what differs between Flink versions for those who run clusters of them.
type Behaviour struct {
	// ImageKey is the configuration key that the JobManager takes the TaskManagers' image from.
	ImageKey string
	// HAKey is the configuration key that the image takes the kind of high availability from.
	HAKey string
	// HAFactoryOnly tells that the image knows high availability on Kubernetes only by its factory class.
	HAFactoryOnly bool
	// LegacyCPUKeys tells that the image reads kubernetes.{jobmanager,taskmanager}.cpu only.
	LegacyCPUKeys bool
	// ConfigFile is the name of the configuration file: config.yaml, nested YAML, or flink-conf.yaml, flat lines.
	ConfigFile string
	// StandardYAML tells that ConfigFile is nested YAML.
	StandardYAML bool
	// CheckpointTrigger tells that checkpoints can be triggered over REST.
	CheckpointTrigger bool
	// RunRequestConfig tells that a jar-run request carries configuration of its own.
	RunRequestConfig bool
	// RescaleAPI tells that a running job's vertices can be rescaled over REST.
	RescaleAPI bool
	// RecoveryKeys tells that execution.state-recovery.* beats execution.savepoint.*.
	RecoveryKeys bool
	// RunClaimMode is the field of a jar-run request that says who owns the savepoint: restoreMode or claimMode.
	RunClaimMode string
	// JobGraphPrefix starts the entries of the HA ConfigMap that hold what is to run: jobGraph- or executionPlan-.
	JobGraphPrefix string
	// JobLeaderPrefix starts the name of a job's leader entry in the HA ConfigMap, before the job ID; may be empty.
	JobLeaderPrefix string
	// LegacyHeapKeys tells that {jobmanager,taskmanager}.heap.size and .heap.mb are still read.
	LegacyHeapKeys bool
	// NetworkMemoryCapped tells that network memory is at most 1 gb unless taskmanager.memory.network.max says otherwise;
	// later there is no bound (FLIP-266).
	NetworkMemoryCapped bool
	// BareSessionHost tells that a standalone session JobManager takes its host as a bare argument and does not know -D.
	BareSessionHost bool
}

// BehaviourOf returns what a Flink version does. An empty or unknown version behaves like the nearest older known one,
// and text without numbers like the oldest.
//
//	since | what changed
//	------+-----------------------------------------------------------------------------------------------
//	1.16  | standalone session JobManagers take -D, high availability "kubernetes"
//	1.17  | kubernetes.container.image.ref, cpu.amount, high-availability.type, checkpoint trigger over REST,
//	      | configuration in jar-run, no default bound of network memory
//	1.18  | rescale API
//	1.19  | a job's HA leader entry is named job-<id>
//	1.20  | execution.state-recovery.*, claimMode in jar-run
//	2.0   | config.yaml, executionPlan- entries, legacy heap options are gone
func BehaviourOf(v v1beta1.FlinkVersion) Behaviour {
	b := Behaviour{
		ImageKey: key.Image.Fallbacks[0], LegacyCPUKeys: true, HAKey: "high-availability", HAFactoryOnly: true,
		ConfigFile: LegacyFile, RunClaimMode: "restoreMode", JobGraphPrefix: "jobGraph-", LegacyHeapKeys: true,
		NetworkMemoryCapped: true, BareSessionHost: true,
	}
	if v.AtLeast(v1beta1.FlinkV1_16) {
		b.BareSessionHost, b.HAFactoryOnly = false, false
	}
	if v.AtLeast(v1beta1.FlinkV1_17) {
		b.ImageKey, b.HAKey = key.Image.Key, key.HighAvailability.Key
		b.LegacyCPUKeys, b.NetworkMemoryCapped = false, false
		b.CheckpointTrigger, b.RunRequestConfig = true, true
	}
	if v.AtLeast(v1beta1.FlinkV1_18) {
		b.RescaleAPI = true
	}
	if v.AtLeast(v1beta1.FlinkV1_19) {
		b.JobLeaderPrefix = "job-"
	}
	if v.AtLeast(v1beta1.FlinkV1_20) {
		b.RecoveryKeys, b.RunClaimMode = true, "claimMode"
	}
	if v.AtLeast(v1beta1.FlinkV2_0) {
		b.ConfigFile, b.StandardYAML, b.LegacyHeapKeys = StandardFile, true, false
		b.JobGraphPrefix = "executionPlan-"
	}
	return b
}

// Names of Flink's configuration files.
const (
	// LegacyFile holds flat lines; Flink before 2.0.
	LegacyFile = "flink-conf.yaml"
	// DefaultsFile is what an installation ships, below either of them.
	DefaultsFile = "defaults.yaml"
	// StandardFile holds nested YAML; Flink from 1.19 on, and the only one from 2.0 on.
	StandardFile = "config.yaml"
)
