package snapshots

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Cleanup lists the FlinkStateSnapshots that are old enough to go, oldest first, savepoints before checkpoints. They
// dispose of their data themselves, as their disposeOnDelete says. Empty when
// kubernetes.operator.savepoint.cleanup.enabled is false, and while an option that decides on it cannot be read.
//
//	PERIODIC and UPGRADE ones of one type,        goes when
//	oldest first
//	------------------------------------------    ------------------------------------------------------
//	the only one left                             never
//	the newest COMPLETED one                      never
//	the newest one, while it is not decided       never: it would be asked for again
//	one that the job may still read, see Reader    never
//	any other                                     more than the largest count are left, or it is too old
func Cleanup(f Facts) []plan.ObjectVersion {
	mine, known := f.own()
	if !known || f.misreadsCleanup() || !read(f.Config.Bool, key.SavepointCleanupEnabled, false) {
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
	for i, s := range candidates {
		tooOld := age > 0 && f.Now.Sub(s.CreationTimestamp.Time) > age
		asked := i == len(candidates)-1 && !IsFinal(s.Status.State)
		needed := s.Status.Path != nil && f.reads(*s.Status.Path)
		if s == newest || asked || needed || left <= 1 || (left <= limit && !tooOld) {
			continue
		}
		gone = append(gone, plan.ObjectVersion{Name: s.Name, UID: s.UID, ResourceVersion: s.ResourceVersion})
		left--
	}
	return gone
}
