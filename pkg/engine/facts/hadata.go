package facts

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// HAEnabled reports whether what runs keeps high-availability data at all.
func HAEnabled(v *world.Look) bool { return v.Host.HA().Store.Mode != flinkconf.HANone }

// HAUsable reports whether high-availability data may be used by a start: the configuration that runs and the wanted
// one keep it in the same place, and we can look there.
func HAUsable(v *world.Look) bool {
	return haFound(v, &v.Spec)
}

// haFound reports whether a start of the spec finds the high-availability data of what runs, in a place where we can
// look.
func haFound(v *world.Look, target *v1beta1.FlinkDeploymentSpec) bool {
	runs := v.Host.HA().Store
	return runs.Readable() && runs.Same(hadata.StoreOf(v.Compose(target)))
}

// HAMoves reports whether a spec keeps its high-availability data in a place where what runs does not.
func HAMoves(v *world.Look, target *v1beta1.FlinkDeploymentSpec) bool {
	next := hadata.StoreOf(v.Compose(target))
	return next.Readable() && !next.Same(v.Host.HA().Store)
}

// LeavesGraphs reports whether a spec has a Flink that does not look where that of what runs keeps what is to run: on
// the two sides of Flink 2.0. A rollback leads back from a Flink that never ran.
func LeavesGraphs(v *world.Look, target *v1beta1.FlinkDeploymentSpec, purpose v1beta1.IntentPurpose) bool {
	if v.Last == nil || !HAEnabled(v) || purpose == v1beta1.PurposeRollback {
		return false
	}
	prefix := func(s *v1beta1.FlinkDeploymentSpec) string {
		return flinkconf.BehaviourOf(s.FlinkVersion).JobGraphPrefix
	}
	return prefix(target) != prefix(v.Running())
}

// HAElsewhere reports whether the job kept its high-availability data where the wanted configuration does not look for
// it.
func HAElsewhere(v *world.Look) bool {
	return v.Host.HA().Store.Readable() && !HAUsable(v)
}

// KnownHAData is what is known of the high-availability data that a start could use.
func KnownHAData(v *world.Look) plan.Observed[upgrade.HAData] {
	return HADataOf(v, &v.Spec)
}

// HADataOf is what is known of the high-availability data that a start of the spec would find.
func HADataOf(v *world.Look, target *v1beta1.FlinkDeploymentSpec) plan.Observed[upgrade.HAData] {
	if !haFound(v, target) {
		return plan.Absent[upgrade.HAData]()
	}
	return v.Host.HA().Job()
}

// HAGoesWithStop reports whether the open stop ends with the high-availability data removed: a deletion does, and the
// stop of a job that needs no state or whose last state is recorded. A session cluster keeps it while it is upgraded,
// because its jobs may need it.
func HAGoesWithStop(v *world.Look) bool {
	if v.Intent().Purpose == v1beta1.PurposeDelete {
		return true
	}
	return !v.IsSession() && (v.Intent().Stop == v1beta1.StopStateless || v.Intent().Stop == "" || v.Intent().Ended)
}

// HANeededNext reports whether the successor of what the open stop takes down starts from its high-availability data: a
// job by last-state, and a session cluster, which brings its jobs back.
func HANeededNext(v *world.Look) bool {
	intent := v.Intent()
	if v.Host.HA().Store.Mode == flinkconf.HANone || HAGoesWithStop(v) {
		return false
	}
	return v.IsSession() || intent.Restore == v1beta1.UpgradeModeLastState
}

// FindsJobGraph reports whether a start of the spec may find the job graph of the job before it: that lies in
// ZooKeeper, where nobody but Flink can look, and a person has not given it up. Flink runs every job graph that it
// finds, beside the job that it is given.
func FindsJobGraph(v *world.Look, target *v1beta1.FlinkDeploymentSpec) bool {
	runs := v.Host.HA().Store
	if !runs.Unreadable() || v.Last == nil || v.IsSession() || target.Job == nil {
		return false
	}
	return runs.Same(hadata.StoreOf(v.Compose(target))) &&
		v.Seen.Resource.Annotations[v1beta1.AnnotationIgnoreState] != "true"
}

// NamesCheckpoint reduces the data to whether it names a checkpoint.
func NamesCheckpoint(data plan.Observed[upgrade.HAData]) plan.Observed[bool] {
	d, ok := data.Get()
	switch {
	case ok:
		return plan.Present(d.Checkpoint)
	case data.IsAbsent():
		return plan.Absent[bool]()
	}
	return plan.Unknown[bool](data.Why())
}
