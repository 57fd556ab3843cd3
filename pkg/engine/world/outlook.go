package world

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan/clusterinfo"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// Outlook is what a preview shows of a look beside its plan. It is asked for before the plan is made.
type Outlook struct {
	// Change is what the spec that counts changes of the one acted on last; no fields before the first deployment.
	Change specdiff.Change
	// First is true before the first deployment.
	First bool
	// Asks reports whether the spec asks for something else than what was acted on last.
	Asks bool
	// Problem says why the resource's spec does not count, with every finding; empty when it does.
	Problem string
	// Open is the operation that is under way; nil: none is.
	Open *v1beta1.Intent
	// State is the job's, as status has it; empty without one.
	State v1beta1.FlinkJobState
	// Mode is the upgrade mode of the spec that counts; empty for a session cluster.
	Mode v1beta1.UpgradeMode
	// SavepointDir is where a stop writes its savepoint; empty where no option says so.
	SavepointDir string
	// RolledBack is how long what is started may take to become stable before it is rolled back; 0: it never is.
	RolledBack time.Duration
	// Before and After are the cluster that runs and the one that the spec asks for; nil where the spec does not say.
	Before, After *Size
}

// Size is what a cluster asks for.
type Size struct {
	// TaskManagers is how many there are.
	TaskManagers int
	// CPU is in cores and Memory in bytes, as text, of all pods together; empty when a configuration does not say.
	CPU, Memory string
}

// OutlookOf is that of a look.
func OutlookOf(v *Look) Outlook {
	o := Outlook{
		First: v.Last == nil, Problem: v.Problem, Open: v.Resource().Status.Intent, State: v.Want.JobStatus.State,
		SavepointDir: SavepointDirectory(v), Asks: v.AsksForMore(),
	}
	if v.Spec.Job != nil {
		o.Mode = v.Spec.Job.DesiredUpgradeMode()
	}
	if v.Last != nil {
		o.Change = v.Changed()
	}
	if v.Options.RollbackEnabled() && v.LastStable != nil {
		o.RolledBack = v.Options.ReadinessTimeout()
	}
	if running := v.Running(); running != nil && v.LastRunning() {
		o.Before = sizeOf(v, *running, v.Config())
	}
	if v.Problem == "" && v.WantsRunning() {
		o.After = sizeOf(v, v.Spec, v.Compose(&v.Spec))
	}
	return o
}

// sizeOf is nil where Flink makes TaskManagers as jobs need them, or has another cluster's.
func sizeOf(v *Look, spec v1beta1.FlinkDeploymentSpec, config flinkconf.Config) *Size {
	if !v.IsApplication() || spec.Job == nil && spec.DesiredMode() != v1beta1.ModeStandalone {
		return nil
	}
	n := int(TaskManagerInfo(v, spec).Replicas)
	info := clusterinfo.With(nil, clusterinfo.Facts{TaskManagers: n}, config)
	return &Size{TaskManagers: n, CPU: info[clusterinfo.KeyCPU], Memory: info[clusterinfo.KeyMemory]}
}
