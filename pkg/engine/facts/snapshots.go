package facts

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// OfSnapshots are what the decisions about the job's snapshots depend on.
func OfSnapshots(v *world.Look) snapshots.Facts {
	r := v.Seen.Resource
	f := snapshots.Facts{
		Now: v.Seen.Now, Kind: v.Seen.JobKind(), Namespace: r.Namespace, Name: r.Name, UID: r.UID,
		Generation: r.Generation,
		Created:    r.CreationTimestamp.Time,
		Labels:     v.Seen.Operator.Selecting(r.Labels),
		// the round that closes a start has not asked for the snapshots yet
		Running: v.Want.JobStatus.State == v1beta1.FlinkJobRunning && r.Status.Intent == nil,
		Wanted:  v.Spec.Job,
		Status:  v.Want.JobStatus, Intent: v.Want.Intent, Config: v.Config(), Existing: v.Seen.Snapshots,
		Readers: v.Seen.Readers,
	}
	if running := v.Running(); running != nil {
		f.FlinkVersion = running.FlinkVersion
		if c := v.Seen.ClusterConfig; c != nil {
			f.FlinkVersion = v1beta1.FlinkVersion(c.Get(key.FlinkVersion))
		}
		f.Defaults = v.Seen.Operator.Default(r.Namespace, f.FlinkVersion)
	}
	if v.Last != nil {
		f.Reconciled = v.Last.Spec.Job
	}
	return f
}

// SnapshotsWanted reports whether the spec or the options ask for snapshots of the running job: a nonce that is not
// recorded yet, or a period.
func SnapshotsWanted(v *world.Look) bool {
	if v.Last == nil || v.Last.Spec.Job == nil || v.Spec.Job == nil {
		return false
	}
	c := v.Config()
	if c.Get(key.PeriodicSavepointInterval) != "" || c.Get(key.PeriodicCheckpointInterval) != "" {
		return true
	}
	return pendingNonce(v.Spec.Job.SavepointTriggerNonce, v.Last.Spec.Job.SavepointTriggerNonce) ||
		pendingNonce(v.Spec.Job.CheckpointTriggerNonce, v.Last.Spec.Job.CheckpointTriggerNonce)
}

func pendingNonce(wanted, recorded *int64) bool {
	return wanted != nil && (recorded == nil || *wanted != *recorded)
}

// HasSnapshotHistory reports whether the status has a history of savepoints, which may have to be shortened.
func HasSnapshotHistory(v *world.Look) bool {
	info := v.Want.JobStatus.SavepointInfo
	return info != nil && len(info.SavepointHistory) > 0
}

// ReadersToAsk are the places of the history that would be disposed of if nobody else could read them. It is asked
// after all else.
func ReadersToAsk(v *world.Look) []string {
	if v.Problem != "" || !HasSnapshotHistory(v) || !v.AtRest() {
		return nil
	}
	_, dispose := snapshots.Prune(OfSnapshots(v))
	return dispose
}

// SavepointPending reports whether a savepoint that somebody asked for keeps a change waiting: it is being written, and
// kubernetes.operator.job.upgrade.ignore-pending-savepoint is false. A job that nobody speaks for just now may still be
// writing it.
func SavepointPending(v *world.Look) bool {
	pending := slices.ContainsFunc(snapshots.Pending(v.Want.JobStatus), func(r snapshots.Request) bool {
		return r.Type == snapshots.Savepoint
	})
	return pending && (v.Want.JobStatus.State == v1beta1.FlinkJobRunning || world.Unanswered(v)) &&
		!v.Options.IgnoresPendingSavepoint()
}
