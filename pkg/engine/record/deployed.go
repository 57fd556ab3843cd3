package record

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// NameDeployed writes down what runs, of another operator or of a version before, where status does not name it yet. Of
// one whose ConfigMap is gone, today's defaults are the best guess.
func NameDeployed(v *world.Look, operation string) {
	if v.Last == nil || v.Want.Deployed != nil || !facts.AsksDeployed(v) || v.Seen.Deployed.IsUnknown() || !v.AtRest() {
		return
	}
	v.Want.WrittenFor = v.Seen.Resource.UID
	v.Want.Deployed = &v1beta1.Deployed{
		DeploymentUID: v.Host.Incarnation(), OperationID: operation, JobID: v.Want.JobStatus.JobID,
		FlinkVersion: v.Running().FlinkVersion,
		Options:      flinkconf.Started(v.Config()),
	}
}

// deployed is status.deployed of a start that is released.
func deployed(v *world.Look, target *v1beta1.FlinkDeploymentSpec) {
	intent := v.Intent()
	if intent.Release == nil { // it never ran
		return
	}
	v.Want.Deployed = &v1beta1.Deployed{OperationID: intent.OperationID, JobID: intent.JobID, Options: intent.Options}
	if v.IsApplication() {
		v.Want.Deployed.DeploymentUID, v.Want.Deployed.FlinkVersion = intent.Release.DeploymentUID, target.FlinkVersion
	}
	intent.Options = nil
}

// CheckpointTimeout remembers how long a checkpoint of the job may take, as its code says; 0 forgets it. Flink cannot
// be asked at each moment at which it counts.
func CheckpointTimeout(v *world.Look, own time.Duration) {
	v.Want.JobStatus.CheckpointTimeout = nil
	if own > 0 {
		v.Want.JobStatus.CheckpointTimeout = &metav1.Duration{Duration: own}
	}
}
