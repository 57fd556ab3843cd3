package job

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// HAData is what a decision may expect of the job's high-availability data: whether a start finds it, who still needs
// it, and when it goes.
type HAData Life

// on reports whether what runs keeps high-availability data at all.
func (v HAData) on() bool { return v.Host.HA().Store.Mode != flinkconf.HANone }

// Usable reports whether high-availability data may be used by a start: the configuration that runs and the wanted one
// keep it in the same place, and we can look there.
func (v HAData) Usable() bool {
	return v.found(&v.Spec)
}

// found reports whether a start of the spec finds the high-availability data of what runs, in a place where we can
// look.
func (v HAData) found(target *v1beta1.FlinkDeploymentSpec) bool {
	runs := v.Host.HA().Store
	return runs.Readable() && runs.Same(hadata.StoreOf(v.Compose(target)))
}

// moves reports whether a spec keeps its high-availability data in a place where what runs does not.
func (v HAData) moves(target *v1beta1.FlinkDeploymentSpec) bool {
	next := hadata.StoreOf(v.Compose(target))
	return next.Readable() && !next.Same(v.Host.HA().Store)
}

// leavesGraphs reports whether a spec has a Flink that does not look where that of what runs keeps what is to run: on
// the two sides of Flink 2.0. A rollback leads back from a Flink that never ran.
func (v HAData) leavesGraphs(target *v1beta1.FlinkDeploymentSpec, purpose v1beta1.IntentPurpose) bool {
	if v.Last == nil || !v.on() || purpose == v1beta1.PurposeRollback {
		return false
	}
	prefix := func(s *v1beta1.FlinkDeploymentSpec) string {
		return flinkconf.BehaviourOf(s.FlinkVersion).JobGraphPrefix
	}
	return prefix(target) != prefix(v.Running())
}

// elsewhere reports whether the job kept its high-availability data where the wanted configuration does not look for
// it.
func (v HAData) elsewhere() bool {
	return v.Host.HA().Store.Readable() && !v.Usable()
}

// known is what is known of the high-availability data that a start could use.
func (v HAData) known() plan.Observed[upgrade.HAData] {
	return v.of(&v.Spec)
}

// of is what is known of the high-availability data that a start of the spec would find.
func (v HAData) of(target *v1beta1.FlinkDeploymentSpec) plan.Observed[upgrade.HAData] {
	if !v.found(target) {
		return plan.Absent[upgrade.HAData]()
	}
	return v.Host.HA().Job()
}

// GoesWithStop reports whether the open stop ends with the high-availability data removed: a deletion does, and the
// stop of a job that needs no state or whose last state is recorded. A session cluster keeps it while it is upgraded,
// because its jobs may need it.
func (v HAData) GoesWithStop() bool {
	if v.Intent().Purpose == v1beta1.PurposeDelete {
		return true
	}
	return !v.IsSession() && (v.Intent().Stop == v1beta1.StopStateless || v.Intent().Stop == "" || v.Intent().Ended)
}

// NeededNext reports whether the successor of what the open stop takes down starts from its high-availability data: a
// job by last-state, and a session cluster, which brings its jobs back.
func (v HAData) NeededNext() bool {
	intent := v.Intent()
	if v.Host.HA().Store.Mode == flinkconf.HANone || v.GoesWithStop() {
		return false
	}
	return v.IsSession() || intent.Restore == v1beta1.UpgradeModeLastState
}

// FindsJobGraph reports whether a start of the spec may find the job graph of the job before it: that lies in
// ZooKeeper, where nobody but Flink can look, and a person has not given it up. Flink runs every job graph that it
// finds, beside the job that it is given.
func (v HAData) FindsJobGraph(target *v1beta1.FlinkDeploymentSpec) bool {
	runs := v.Host.HA().Store
	if !runs.Unreadable() || v.Last == nil || v.IsSession() || target.Job == nil {
		return false
	}
	return runs.Same(hadata.StoreOf(v.Compose(target))) &&
		v.Seen.Resource.Annotations[v1beta1.AnnotationIgnoreState] != "true"
}

// namesCheckpoint reduces the data to whether it names a checkpoint.
func namesCheckpoint(data plan.Observed[upgrade.HAData]) plan.Observed[bool] {
	d, ok := data.Get()
	switch {
	case ok:
		return plan.Present(d.Checkpoint)
	case data.IsAbsent():
		return plan.Absent[bool]()
	}
	return plan.Unknown[bool](data.Why())
}

// MayStay lets a deletion end without the high-availability data, when that is not in Kubernetes and could not be
// removed for as long as a clean-up may take. It tells how to remove it by hand.
func (v HAData) MayStay() bool {
	message, may := v.Host.HA().Left()
	if !may || Deletion(v).Age() <= v.CleanupTimeout() {
		return false
	}
	v.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonHighAvailabilityDataLeft, Component: plan.ComponentOperator, Once: true,
		Message: message,
	})
	return true
}

// TellUnreadable tells that a deletion leaves high-availability data behind where nobody but Flink can look.
func (v HAData) TellUnreadable() {
	if message, left := v.Host.HA().Left(); left && v.Host.HA().Store.Unreadable() {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonHighAvailabilityDataLeft, Component: plan.ComponentOperator, Once: true,
			Message: message,
		})
	}
}
