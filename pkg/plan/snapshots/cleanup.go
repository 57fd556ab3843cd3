package snapshots

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Cleanup lists the FlinkStateSnapshots that are old enough to go, oldest first, savepoints before checkpoints. They
// dispose of their data themselves, as their disposeOnDelete says. Empty when
// kubernetes.operator.savepoint.cleanup.enabled is false.
//
//	PERIODIC and UPGRADE ones of one type,        goes when
//	oldest first
//	------------------------------------------    ------------------------------------------------------
//	the only one left                             never
//	the newest COMPLETED one                      never
//	one that the job's next start needs           never
//	any other                                     more than the largest count are left, or it is too old
func Cleanup(f Facts) []plan.ObjectVersion {
	mine, known := f.own()
	if !known || !read(f.Config.Bool, key.SavepointCleanupEnabled, true) {
		return nil
	}
	var gone []plan.ObjectVersion
	for _, t := range []Type{Savepoint, Checkpoint} {
		gone = append(gone, f.cleanupOf(t, mine)...)
	}
	return gone
}

func (f Facts) cleanupOf(t Type, mine []v1beta1.FlinkStateSnapshot) []plan.ObjectVersion {
	var candidates []*v1beta1.FlinkStateSnapshot
	var newest *v1beta1.FlinkStateSnapshot
	for i := range mine {
		s := &mine[i]
		cause := triggerOf(s)
		if TypeOf(s.Spec) != t || s.DeletionTimestamp != nil || (cause != v1beta1.SnapshotTriggerPeriodic &&
			cause != v1beta1.SnapshotTriggerUpgrade) {
			continue
		}
		candidates = append(candidates, s)
		if s.Status.State == v1beta1.SnapshotCompleted {
			newest = s
		}
	}
	left := len(candidates)
	limit, age := f.maxCount(t), f.maxAge(t)
	var gone []plan.ObjectVersion
	for _, s := range candidates {
		tooOld := age > 0 && f.Now.Sub(s.CreationTimestamp.Time) > age
		if s == newest || left <= 1 || f.needs(s.Status.Path) || (left <= limit && !tooOld) {
			continue
		}
		gone = append(gone, plan.ObjectVersion{Name: s.Name, UID: s.UID, ResourceVersion: s.ResourceVersion})
		left--
	}
	return gone
}

// needs reports whether the next start of the job may be from this place.
func (f Facts) needs(path *string) bool {
	return path != nil && NeededBy(f.Status, f.Intent, *path)
}

// NeededBy reports whether a job is, or will be, started from the state at path: it does not run and its status names
// it, or an open intent does.
func NeededBy(status v1beta1.JobStatus, intent *v1beta1.Intent, path string) bool {
	switch {
	case path == "":
		return false
	case intent != nil && intent.From != nil && intent.From.Path == path:
		return true
	}
	return status.UpgradeSavepointPath == path && status.State != v1beta1.FlinkJobRunning
}

// Leaving lists the job's FlinkStateSnapshots that go with it when its resource is deleted: the PERIODIC and UPGRADE
// savepoints that ask for disposal. They need its JobManager to dispose of their data, so they are deleted before it,
// and waited for within a deadline. All others stay.
func Leaving(f Facts) []plan.ObjectVersion {
	mine, _ := f.own()
	var gone []plan.ObjectVersion
	for i := range mine {
		s := &mine[i]
		cause := triggerOf(s)
		if s.Spec.Savepoint.DisposedOnDelete() && (cause == v1beta1.SnapshotTriggerPeriodic ||
			cause == v1beta1.SnapshotTriggerUpgrade) {
			gone = append(gone, plan.ObjectVersion{Name: s.Name, UID: s.UID, ResourceVersion: s.ResourceVersion})
		}
	}
	return gone
}

// maxCount is how many of a type are kept, at least one: for savepoints kubernetes.operator.savepoint.history.max.count
// under its threshold, for checkpoints execution.checkpointing.num-retained.
func (f Facts) maxCount(t Type) int {
	if t == Checkpoint {
		return max(1, read(f.Config.Int, key.RetainedCheckpoints, 1))
	}
	return max(
		1,
		capped(
			f.Config.Int, f.Defaults.Int,
			limits{key.SavepointHistoryMaxCount, key.SavepointHistoryMaxCountThreshold, f.Defaults},
		),
	)
}

// maxAge is how old savepoints may get: kubernetes.operator.savepoint.history.max.age under its threshold; zero means
// any age.
func (f Facts) maxAge(t Type) time.Duration {
	if t == Checkpoint {
		return 0
	}
	return capped(
		f.Config.Duration, f.Defaults.Duration,
		limits{key.SavepointHistoryMaxAge, key.SavepointHistoryMaxAgeThreshold, f.Defaults},
	)
}

// limits are an option of the job and the one of the operator that bounds it.
type limits struct {
	option, threshold conf.Option
	defaults          conf.Config
}

func capped[T int | time.Duration](own, operator func(conf.Option) (T, error), l limits) T {
	value, err := own(l.option)
	if err != nil {
		value = read(operator, l.option, value)
	}
	if !l.defaults.Has(l.threshold) {
		return value
	}
	return min(value, read(operator, l.threshold, value))
}
